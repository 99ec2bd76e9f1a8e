import { expect } from "chai";
import { canonical, isRight, readGold } from "../../../../../core/reward/scorers/math/grade.js";

function grade(gold: string, given: string, options = {}): boolean {
  const reading = readGold(gold);
  if (!reading) throw new Error(`the gold answer ${gold} cannot be read`);
  return isRight(reading, given, options);
}

/** Gold answer and another way to write it. */
const SAME: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  numbers: [
    ["14", "$14$."],
    ["-2", "−2"],
    ["9.99", "9.990"],
    ["1{,}000", "1000"],
    ["1,000", "1\\,000"],
    ["10,\\!080", "10080"],
    ["1000", "1 000"],
    ["0", "-0"],
    ["120000", "1.2 \\times 10^5"],
    ["120000", "1.2e5"],
    ["1000000", "10^6"],
    ["4", "4^{\\text{th}}"],
    ["\\frac{1}{3}", "0.\\overline{3}"],
    ["1/6", "0.1\\overline{6}"],
    ["\\mathbf{16}", "16.0"],
  ],
  fractions: [
    ["\\frac{3}{4}", "0.75"],
    ["\\frac34", "3/4"],
    ["\\frac1{72}", "\\dfrac{1}{72}"],
    ["1/2", "\\frac{2}{4}"],
    ["-\\frac{1}{2}", "\\frac{-1}{2}"],
    ["2\\frac{1}{2}", "2.5"],
    ["5/2", "2 1/2"],
    ["0.5", "½"],
  ],
  "roots, π, e and i": [
    ["\\sqrt3", "\\sqrt{3}"],
    ["2\\sqrt{3}", "\\sqrt{12}"],
    ["\\frac{1}{\\sqrt{2}}", "\\frac{\\sqrt{2}}{2}"],
    ["\\frac{1}{1+\\sqrt2}", "\\sqrt{2}-1"],
    ["\\sqrt[3]{16}", "2\\sqrt[3]{2}"],
    ["\\sqrt{3+2\\sqrt2}", "1+\\sqrt2"],
    ["2", "\\sqrt{4}"],
    ["2i", "\\sqrt{-4}"],
    ["3+4i", "4i+3"],
    ["36\\pi", "36π"],
    ["1 - \\frac{1}{e}", "1-\\mathrm{e}^{-1}"],
    ["\\sin 30^\\circ", "1/2"],
    ["\\sin(30)^\\circ", "1/2"],
    ["\\sin^2 x", "sin(x)^2"],
    ["\\log_2 8", "3"],
  ],
  percentages: [
    ["25\\%", "25"],
    ["25", "25\\%"],
    ["25\\%", "\\frac14"],
    ["0.25", "25 percent"],
  ],
  units: [
    ["4", "4 \\text{ cm}"],
    ["4\\text{ cm}", "4"],
    ["50\\text{ cm}", "0.5\\text{ m}"],
    ["12\\text{ in}^2", "12 \\text{ square inches}"],
    ["60 \\text{ mph}", "60 \\text{ miles per hour}"],
    ["1.5 \\text{ hours}", "90 \\text{ minutes}"],
    ["\\$0.50", "50 \\text{ cents}"],
    ["\\$5", "5.00"],
    ["6", "6 apples"],
    ["30", "30^\\circ"],
    ["90^{\\circ}", "\\frac{\\pi}{2}"],
  ],
  algebra: [
    ["x^{2} + 1", "x^2+1"],
    ["x^2+2x+1", "(x+1)^2"],
    ["\\frac{x^2-1}{x-1}", "x+1"],
    ["p-q", "-q+p"],
    ["\\frac{1}{3}x", "x/3"],
    ["2^{n+1}", "2\\cdot 2^n"],
    ["|x|", "\\sqrt{x^2}"],
    ["n!", "n!"],
    ["5!", "120"],
    ["\\binom{5}{2}", "10"],
  ],
  equations: [
    ["5", "x = 5"],
    ["x=5", "5"],
    ["7", "a+b=7"],
    ["15", "3 \\cdot 5 = 15"],
    ["y=2x+3", "2x-y+3=0"],
    ["x^2+y^2=4", "2x^2+2y^2=8"],
    ["f(x)=2x", "2x"],
    ["\\sqrt{2}", "\\sqrt{2} \\approx 1.414"],
    ["S_1:S_2=7:32", "7:32"],
  ],
  "lists and sets": [
    ["2,3", "3, 2"],
    ["2,3", "2 \\text{ and } 3"],
    ["2, 3", "x=2 \\text{ or } x=3"],
    ["\\{1,2\\}", "\\left\\{2, 1\\right\\}"],
    ["1,2,3", "\\{3,2,1\\}"],
    ["3,-3", "\\pm 3"],
    ["2\\pm\\sqrt3", "2-\\sqrt3, 2+\\sqrt3"],
    ["x_1=1, x_2=2", "2, 1"],
    ["p=5,q=2;p=7,q=2", "(5,2),(7,2)"],
    ["100,200", "\\{100, 200\\}"],
  ],
  "tuples and matrices": [
    ["(1,2)", "\\left(1, \\frac{4}{2}\\right)"],
    ["(1,2)", "(x,y)=(1,2)"],
    ["(1,2)", "x=1, y=2"],
    ["(2,3), (4,5)", "(4,5),(2,3)"],
    ["\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}", "\\left[\\begin{array}{cc}1&2\\\\3&4\\end{array}\\right]"],
    ["\\begin{pmatrix} 1/2 \\\\ 3 \\end{pmatrix}", "(0.5, 3)"],
    ["\\mathbf{i}+2\\mathbf{j}", "\\vec{i} + 2\\vec{j}"],
  ],
  "intervals and inequalities": [
    ["(3,\\infty)", "x > 3"],
    ["[0,1)", "0 \\le x < 1"],
    ["(-\\infty,2)\\cup(3,\\infty)", "x<2 \\text{ or } x>3"],
    ["(-\\infty,0)\\cup(0,\\infty)", "\\mathbb{R}\\setminus\\{0\\}"],
    ["x \\ne 0", "(-\\infty,0) U (0,\\infty)"],
    ["[1,3]", "[1,2]\\cup[2,3]"],
    ["x \\in [-2,7]", "-2 \\le x \\le 7"],
    ["(-2,2)", "|x| < 2"],
    ["(3,\\infty)", "\\{x \\mid x > 3\\}"],
    ["\\emptyset", "\\{\\}"],
    ["x+y>1", "1 < y+x"],
  ],
  text: [
    ["\\text{Evelyn}", "evelyn"],
    ["Tuesday", "\\text{Tuesday}."],
    ["No", "\\text{no}"],
    ["3:45 p.m.", "3:45 P.M."],
    ["\\text{June }20", "June 20"],
    ["\\text{(C)}", "C"],
    ["C", "\\textbf{(C)}\\ 5"],
    ["2516_8", "2516_{8}"],
    ["2516_8", "2516"],
    ["3:4", "6:8"],
    ["\\text{Monday, Tuesday}", "tuesday and monday"],
    ["\\gcd(m,n)", "\\gcd(m, n)"],
  ],
};

/** Gold answer and an answer that is not right. */
const DIFFERENT: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  numbers: [
    ["14", "-14"],
    ["1/3", "0.3333333333333333"],
    ["1", "0.99999999999999999999"],
    ["10^{100000}", "10^{100001}"],
    ["12", "1 2"],
    ["1234", "1,2,3,4"],
    ["2\\frac12", "1"],
    ["1", "1/0"],
  ],
  "roots and percentages": [
    ["\\sqrt{2}", "1.414"],
    ["2\\sqrt{3}", "3\\sqrt{2}"],
    ["25", "0.25"],
    ["\\infty", "-\\infty"],
  ],
  units: [["4\\text{ cm}", "4\\text{ m}"]],
  "calculations that are left open": [
    ["7", "3+4"],
    ["1024", "2^{10}"],
    ["120", "5!"],
    ["12", "(3)(4)"],
  ],
  "more than one answer": [
    ["4", "4 \\text{ or } 5"],
    ["4", "\\pm 4"],
    ["5", "2+3=6=5"],
    ["C", "(C) or (D)"],
    ["\\{1,2\\}", "\\{1,2,3\\}"],
  ],
  structure: [
    ["(1,2)", "(2,1)"],
    ["(1,2)", "[1,2]"],
    ["(3,\\infty)", "[3,\\infty)"],
    ["x>3", "x<3"],
    ["x>3", "x \\ge 3"],
    ["x=1,y=2", "x=2,y=1"],
    ["1,1,2", "1,2"],
    ["12:00", "1:00"],
    ["\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}", "\\begin{pmatrix}1&2\\\\4&3\\end{pmatrix}"],
  ],
  equations: [
    ["x^2+y^2=1", "1"],
    ["y=2x", "2y=2x"],
    ["15", "3\\cdot 5=16"],
    ["x+1", "x-1"],
  ],
  text: [
    ["\\text{even}", "odd"],
    ["C", "D"],
    ["5", "\\text{not } 5"],
    ["1", "constructor"],
  ],
};

describe("grading mathematics", () => {
  for (const [topic, pairs] of Object.entries(SAME)) {
    it(`sees that ${topic} are equal`, () => {
      expect(pairs.filter(([gold, given]) => !grade(gold, given))).to.deep.equal([]);
    });
  }

  for (const [topic, pairs] of Object.entries(DIFFERENT)) {
    it(`tells ${topic} apart`, () => {
      expect(pairs.filter(([gold, given]) => grade(gold, given))).to.deep.equal([]);
    });
  }

  it("lets a calculation stand for its result when asked to", () => {
    expect(grade("7", "3+4", { unevaluated: true })).to.equal(true);
    expect(grade("7", "3+5", { unevaluated: true })).to.equal(false);
  });

  it("compares real numbers within a tolerance when asked to", () => {
    expect(grade("12.57", "4\\pi", { tolerance: 1e-3 })).to.equal(true);
    expect(grade("12.57", "4.01\\pi", { tolerance: 1e-3 })).to.equal(false);
  });

  it("finds no gold answer in what cannot be read", () => {
    const unreadable = ["", "  ", "$$", "\\text{}", "\\frac{1}{", "3+", "(1,", "?", "x=", "\\sum_{k=0}^n k"];
    expect(unreadable.filter((gold) => readGold(gold) !== null)).to.deep.equal([]);
  });

  it("has one text for equal numbers", () => {
    expect(["0.5", "\\frac{2}{4}", "x = \\frac12"].map(canonical)).to.deep.equal(["1/2", "1/2", "1/2"]);
    expect(canonical(" \\sqrt{2} ")).to.equal("\\sqrt{2}");
  });
});
