import { expect } from "chai";
import { validationShowcase } from "../../../../core/trainer/evaluation/showcase.js";

describe("samples of a validation", () => {
  const own = (text: string) => text;

  it("are sorted and shuffled as NumPy does with seed 42", () => {
    const letters = [..."jihgfedcba"];
    // numpy.random.RandomState(42).shuffle(list("abcdefghij"))
    expect(validationShowcase(letters, 10, own).join("")).to.equal("ibfahcjedg");
    expect(validationShowcase(letters, 3, own).join("")).to.equal("ibf");
  });

  it("are the same whatever order the rows come in, compared as Python compares texts", () => {
    // U+1F600 comes after U+FF5E by code point, and before it by UTF-16.
    const texts = ["\u{1f600}", "\uff5e", "a"];
    // Of three, seed 42 leaves the order as it is.
    const sorted = ["a", "\uff5e", "\u{1f600}"];
    expect(validationShowcase(texts, 3, own)).to.deep.equal(sorted);
    expect(validationShowcase([...texts].reverse(), 3, own)).to.deep.equal(sorted);
  });

  it("are as many as there are", () => {
    expect(validationShowcase(["a"], 5, own)).to.deep.equal(["a"]);
    expect(validationShowcase([], 5, own)).to.deep.equal([]);
  });
});
