import { expect } from "chai";
import fc from "fast-check";
import { alternativesPattern } from "../../../../core/data/tokenizer/regex/alternatives.js";
import { RegexPattern } from "../../../../core/data/tokenizer/regex/pattern.js";

describe("patterns of plain alternatives", () => {
  const text = (characters: string[]) =>
    fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 4 });

  it("match what the regular expression matches, the first alternative first", () => {
    const alternatives = fc.array(text(["a", "b", "\\.", "\\|", "é", "😀"]), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(alternatives, fc.array(text(["a", "b", ".", "|", "é", "😀"])), (parts, words) => {
        const pattern = parts.join("|");
        const input = words.join("");
        expect(alternativesPattern(pattern)?.matches(input)).to.deep.equal(new RegexPattern(pattern).matches(input));
      }),
    );
  });

  it("are told from other patterns", () => {
    for (const pattern of ["a", "a|b+", "a|\\d", "a|", "|a", "a|(b)", "a|[b]", "a|\\"]) {
      expect(alternativesPattern(pattern), pattern).to.equal(null);
    }
  });

  it("may be thousands", () => {
    const many = Array.from({ length: 5000 }, (_, i) => `<piece ${i}>`).reverse();
    expect(alternativesPattern(many.join("|"))?.matches("x<piece 17><piece 4999>")).to.deep.equal([
      [1, 11],
      [11, 23],
    ]);
  });
});
