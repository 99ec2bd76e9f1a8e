import { expect } from "chai";
import { RandomStream } from "../../../core/data/index.js";
import { COST, FOUL, GUESSES, LETTERS, LetterGame, PRIZE } from "../../../examples/guessing-game/game.js";
import {
  attentivePlayer,
  bisectingPlayer,
  carelessPlayer,
  playGame,
  shareFound,
} from "../../../examples/guessing-game/players.js";

describe("examples/guessing-game/game", () => {
  it("answers with the letters that are left, and pays for the right one", () => {
    const game = new LetterGame("t");
    expect(game.move("j")).to.deep.equal({ observation: "k-z", reward: -COST, found: false });
    expect(game.move("u")).to.deep.equal({ observation: "k-t", reward: -COST, found: false });
    expect(game.move("t")).to.deep.equal({ observation: null, reward: PRIZE - COST, found: true });
  });

  it("learns nothing from a letter that is ruled out", () => {
    const game = new LetterGame("t");
    game.move("m");
    for (const letter of ["c", "m"]) expect(game.move(letter).observation).to.equal("n-z");
  });

  it("ends after the last guess", () => {
    const game = new LetterGame("t");
    const seen = Array.from({ length: GUESSES }, () => game.move("a").observation);
    expect(seen).to.deep.equal([...Array(GUESSES - 1).fill("b-z"), null]);
  });

  for (const text of ["", "7", "A", "ab", " g"]) {
    it(`ends at ${JSON.stringify(text)}, which is no move`, () => {
      expect(new LetterGame("g").move(text)).to.deep.equal({ observation: null, reward: -FOUL, found: false });
    });
  }

  it("makes giving up dearer than losing", () => {
    expect(FOUL).to.be.above(GUESSES * COST);
  });

  it("can always be won by bisection", () => {
    const random = new RandomStream(1, "test");
    for (const secret of LETTERS) expect(playGame(secret, bisectingPlayer, random).found).to.equal(true);
  });

  it("is lost more often without a plan, and more often still without listening", () => {
    const random = new RandomStream(1, "test");
    expect(shareFound(attentivePlayer, random, 2600)).to.be.within(0.55, 0.65);
    expect(shareFound(carelessPlayer, random, 2600)).to.be.within(0.36, 0.46);
  });
});
