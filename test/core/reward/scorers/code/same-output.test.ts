import { expect } from "chai";
import { sameText, sameTextLikeVerl, sameValue } from "../../../../../core/reward/scorers/code/same-output.js";
import { parsed } from "../../../../../core/reward/scorers/code/test-suite.js";

const json = (text: string) => parsed(text)!;

describe("reward/scorers/code: comparing output", () => {
  const texts: [string, string, boolean][] = [
    ["1 2\n3\n", "1 2\n3", true],
    ["1 2 \r\n3\t\n\n\n", "1 2\n3", true],
    ["", "\n", true],
    ["1  2", "1 2", false],
    [" 1", "1", false],
    ["1\n\n2", "1\n2", false],
    ["0.50", "0.5", false],
    ["YES", "Yes", false],
  ];
  for (const [actual, expected, same] of texts) {
    const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
    it(`takes ${a} ${same ? "for" : "as different from"} ${b}`, () =>
      expect(sameText(actual, expected)).to.equal(same));
  }

  it("with a tolerance compares words, and numbers by it", () => {
    expect(sameText("0.50  1e-9\nx", "0.5 0 x", 1e-6)).to.equal(true);
    expect(sameText("1000000.1", "1000000", 1e-6)).to.equal(true);
    expect(sameText("0.51", "0.5", 1e-6)).to.equal(false);
    expect(sameText("1 2", "1", 1e-6)).to.equal(false);
    expect(sameText("nan", "0x0", 1)).to.equal(false);
  });

  it("by verl's rules forgives newlines at the end alone", () => {
    expect(sameTextLikeVerl("1\n\n", "1")).to.equal(true);
    expect(sameTextLikeVerl("1 \n", "1")).to.equal(false);
    expect(sameTextLikeVerl("1\r\n", "1")).to.equal(false);
  });

  it("takes time in proportion to the output", () => {
    for (const piece of ["\n", " ", "1", "1 ", "\n "]) {
      const output = `${piece.repeat(500_000)}x`;
      for (const tolerance of [0, 1e-6]) expect(sameText(output, "1", tolerance)).to.equal(false);
      expect(sameTextLikeVerl(output, "1")).to.equal(false);
    }
  });

  const values: [string, string, boolean][] = [
    ["[1, [2, 3]]", "[1,[2.0,3]]", true],
    ['{"a": 1, "b": null}', '{"b": null, "a": 1}', true],
    ["12345678901234567890", "12345678901234567890", true],
    ["12345678901234567890", "12345678901234567891", false],
    ["12345678901234567890", '"12345678901234567890"', true],
    ["NaN", "NaN", true],
    ["true", "1", false],
    ['"1"', "1", false],
    ["[1]", "[1, 2]", false],
    ['{"a": 1}', '{"b": 1}', false],
    ["0.1", "0.10000001", false],
    ["[]", "{}", false],
  ];
  for (const [actual, expected, same] of values) {
    it(`takes the value ${actual} ${same ? "for" : "as different from"} ${expected}`, () =>
      expect(sameValue(json(actual), json(expected))).to.equal(same));
  }

  it("with a tolerance lets the numbers of a value differ", () => {
    expect(sameValue(json("[0.1, 2]"), json("[0.10000001, 2]"), 1e-6)).to.equal(true);
  });
});
