import { expect } from "chai";
import { RandomStream } from "../../../core/data/index.js";
import { COST, FOUL, GUESSES, HIGHEST, NumberGame, PRIZE } from "../../../examples/guessing-game/game.js";
import { bisectingPlayer, playGame } from "../../../examples/guessing-game/players.js";

describe("examples/guessing-game/game", () => {
  it("answers higher or lower, and pays for the number", () => {
    const game = new NumberGame(20);
    expect(game.move("10")).to.deep.equal({ observation: "higher", reward: -COST, found: false });
    expect(game.move("21")).to.deep.equal({ observation: "lower", reward: -COST, found: false });
    expect(game.move("20")).to.deep.equal({ observation: null, reward: PRIZE - COST, found: true });
  });

  it("ends after the last guess", () => {
    const game = new NumberGame(20);
    const seen = Array.from({ length: GUESSES }, () => game.move("01").observation);
    expect(seen).to.deep.equal([...Array(GUESSES - 1).fill("higher"), null]);
  });

  for (const text of ["", "7", "32", "00", "hello", "07 "]) {
    it(`ends at ${JSON.stringify(text)}, which is no move`, () => {
      expect(new NumberGame(7).move(text)).to.deep.equal({ observation: null, reward: -FOUL, found: false });
    });
  }

  it("makes giving up dearer than losing", () => {
    expect(FOUL).to.be.above(GUESSES * COST);
  });

  it("can always be won by bisection", () => {
    const random = new RandomStream(1, "test");
    for (let secret = 1; secret <= HIGHEST; secret++) {
      expect(playGame(secret, bisectingPlayer, random).found).to.equal(true);
    }
  });
});
