import { expect } from "chai";
import fc from "fast-check";
import { isRight, readGold } from "../../../../../core/reward/scorers/math/grade.js";
import { OutOfSteps, Steps } from "../../../../../core/reward/scorers/math/steps.js";

const grade = (gold: string, given: string) => isRight(readGold(gold)!, given);
const integer = fc.integer({ min: -9999, max: 9999 });
const positive = fc.integer({ min: 1, max: 999 });
const PIECES = [
  ..."0123456789.,+-*/^_()[]{}|<>=!%&;:$ xyzeiπ√∞",
  ..."\\frac \\sqrt \\pi \\infty \\cup \\setminus \\pm \\text{ \\left \\right \\begin{pmatrix} \\end{pmatrix} \\{ \\} \\\\".split(
    " ",
  ),
  ..."\\le \\in \\mathbb{R} \\overline{ \\binom \\log_ \\sin \\approx ^\\circ \\% \\$ and or cm apples \\boxed{ \ud800 \0".split(
    " ",
  ),
  "(1,2)",
  "\\{1,2\\}",
  "\\frac{1}{2}",
  "x>3",
  "[0,\\infty)",
  "\\text{ and }",
  ",,",
  "^2",
];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(""));

describe("grading mathematics, for all inputs", () => {
  it("reads a fraction in every notation, expanded by any factor", () =>
    fc.assert(
      fc.property(integer, positive, positive, (n, d, k) => {
        for (const given of [`\\frac{${n * k}}{${d * k}}`, `${n * k}/${d * k}`, `x = \\dfrac{${n}}{${d}}`]) {
          expect(grade(`${n}/${d}`, given), given).to.equal(true);
        }
        expect(grade(`${n}/${d}`, `${n * k + 1}/${d * k}`)).to.equal(false);
      }),
      { numRuns: 60 },
    ));

  it("takes squares out of roots and roots out of denominators", () =>
    fc.assert(
      fc.property(positive, positive, (a, b) => {
        expect(grade(`\\sqrt{${a * a * b}}`, `${a}\\sqrt{${b}}`)).to.equal(true);
        expect(grade(`\\frac{${a}}{\\sqrt{${b}}}`, `\\frac{${a}\\sqrt{${b}}}{${b}}`)).to.equal(true);
        expect(grade(`${a}\\sqrt{${b}}`, `${a + 1}\\sqrt{${b}}`)).to.equal(false);
      }),
      { numRuns: 60 },
    ));

  it("multiplies polynomials out", () =>
    fc.assert(
      fc.property(integer, integer, (a, b) => {
        const signed = (n: number) => (n < 0 ? `${n}` : `+${n}`);
        expect(grade(`(x${signed(a)})(x${signed(b)})`, `x^2${signed(a + b)}x${signed(a * b)}`)).to.equal(true);
        expect(grade(`(x${signed(a)})(x${signed(b)})`, `x^2${signed(a + b)}x${signed(a * b + 1)}`)).to.equal(false);
      }),
      { numRuns: 60 },
    ));

  it("does not care about the order of a set, and does care about that of a tuple", () =>
    fc.assert(
      fc.property(fc.uniqueArray(integer, { minLength: 2, maxLength: 6 }), (items) => {
        const turned = [...items.slice(1), items[0]];
        expect(grade(`\\{${items.join(",")}\\}`, `\\{${turned.join(", ")}\\}`)).to.equal(true);
        expect(grade(`(${items.join(";")})`, `(${turned.join(";")})`)).to.equal(false);
      }),
      { numRuns: 60 },
    ));

  it("finds every gold answer equal to itself", () =>
    fc.assert(
      fc.property(text, (gold) => {
        const reading = readGold(gold);
        if (reading) expect(isRight(reading, gold)).to.equal(true);
      }),
      { numRuns: 500 },
    ));

  it("comes to a verdict on any text", () =>
    fc.assert(
      fc.property(text, text, (gold, given) => {
        const reading = readGold(gold);
        for (const right of reading ? [isRight(reading, given), isRight(readGold("12")!, given)] : []) {
          expect(right).to.be.a("boolean");
        }
      }),
      { numRuns: 500 },
    ));

  it("gives up on formulas that cost too much", () => {
    const hostile = [
      "(1+x+y+z+w)^{64}(a+b+c)^{60}",
      "((1+x)^{64}+(1+y)^{64})^{64}",
      "100000!",
      "9^{9^{9^9}}",
      "\\binom{100000}{50000}",
      "1/".repeat(480),
      "(".repeat(500) + ")".repeat(500),
      "\\frac".repeat(190),
      `\\sqrt{${"7".repeat(900)}}`,
      "|".repeat(900),
    ];
    expect(hostile.filter((given) => grade("x+1", given))).to.deep.equal([]);
  });

  it("counts steps, not seconds", () => {
    const steps = new Steps(10);
    steps.spend(10);
    expect(() => steps.spend()).to.throw(OutOfSteps);
    expect(() => new Steps(10).spend(Number.NaN)).to.throw(OutOfSteps);
  });
});
