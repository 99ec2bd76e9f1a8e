import { expect } from "chai";
import type { JsonValue } from "../../../../../core/plugin.js";
import { readTestSuite } from "../../../../../core/reward/scorers/code/test-suite.js";

const casesOf = (truth: JsonValue) => readTestSuite(truth)?.cases;

describe("reward/scorers/code: test cases", () => {
  it("are read from an object and from its text", () => {
    const truth = { inputs: ["1\n", "2\n"], outputs: ["1", "4"] };
    const expected = [
      { input: "1\n", expected: "1", assertion: null },
      { input: "2\n", expected: "4", assertion: null },
    ];
    expect(casesOf(truth)).to.deep.equal(expected);
    expect(casesOf(JSON.stringify(truth))).to.deep.equal(expected);
  });

  it("join lists of lines, and write numbers as they stand", () => {
    const [test] = casesOf('{"inputs": [["3", 12345678901234567890]], "outputs": [7]}')!;
    expect(test).to.deep.equal({ input: "3\n12345678901234567890", expected: "7", assertion: null });
  });

  it("of functions have one argument a line, without loss", () => {
    const suite = readTestSuite(
      '{"fn_name": "f", "inputs": [[[1, 2.0], "a\\nb"], "12345678901234567890\\n[]\\n"], "outputs": [[3], 4]}',
    );
    expect(suite?.functionName).to.equal("f");
    expect(suite?.cases.map(({ input }) => input)).to.deep.equal(['[1, 2.0]\n"a\\nb"', "12345678901234567890\n[]"]);
  });

  it("of assertions need neither inputs nor outputs", () => {
    expect(casesOf({ assert_case: ["assert f(1) == 2", "assert f(2) == 3"] })).to.deep.equal([
      { input: "", expected: null, assertion: "assert f(1) == 2" },
      { input: "", expected: null, assertion: "assert f(2) == 3" },
    ]);
  });

  const unusable: [string, JsonValue][] = [
    ["null", null],
    ["a number", 12],
    ["a text that is no JSON", "{'inputs': []}"],
    ["a list", [{ inputs: ["1"], outputs: ["1"] }]],
    ["inputs without outputs", { inputs: ["1"] }],
    ["none at all", { inputs: [], outputs: [] }],
    ["more inputs than outputs", { inputs: ["1", "2"], outputs: ["1"] }],
    ["fewer assertions than inputs", { inputs: ["1", "2"], outputs: ["1", "2"], assert_case: ["assert 1"] }],
    ["inputs that are no texts", { inputs: [{ a: 1 }], outputs: ["1"] }],
    ["a name that is none", { fn_name: 3, inputs: [[1]], outputs: [1] }],
    ["arguments that are no JSON", { fn_name: "f", inputs: ["one"], outputs: [1] }],
    ["assertions that are no texts", { assert_case: [1] }],
  ];
  for (const [what, truth] of unusable) {
    it(`cannot be had from ${what}`, () => expect(readTestSuite(truth)).to.equal(null));
  }
});
