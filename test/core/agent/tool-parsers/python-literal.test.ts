import { expect } from "chai";
import { pythonLiteral } from "../../../../core/agent/tool-parsers/python-literal.js";

/** What Python's `json.dumps(ast.literal_eval(text))` gives, but for digits, which are kept. */
const LITERALS: readonly (readonly [string, string | null])[] = [
  ["['a', \"b\", 3]", '["a", "b", 3]'],
  ["[]", "[]"],
  ["()", "[]"],
  ["(1)", "1"],
  ["(1,)", "[1]"],
  ["(1, 2,)", "[1, 2]"],
  ["{}", "{}"],
  ["{'a': [1, {'b': ()}],}", '{"a": [1, {"b": []}]}'],
  ["{1: 'x', True: 'y', None: 'z', 1.5: 'w'}", '{"1": "x", "true": "y", "null": "z", "1.5": "w"}'],
  ["{'a': 1, 'a': 2}", '{"a": 2}'],
  ["[True, False, None]", "[true, false, null]"],
  ["[\n 1 ,\n\t2 ]", "[1, 2]"],
  ["-5", "-5"],
  ["+5", "5"],
  ["1_000", "1000"],
  ["12345678901234567890123", "12345678901234567890123"],
  ["1.", "1.0"],
  [".5", "0.5"],
  ["-1e3", "-1.0e3"],
  ["00", "0"],
  ["'it\\'s'", '"it\'s"'],
  ["'\\n\\t\\\\\\x41\\u00e9\\U0001f600\\101'", '"\\n\\t\\\\A\u00e9\u{1f600}A"'],
  ["'\\d'", '"\\\\d"'],
  ["'a' \"b\"", '"ab"'],
  ["'''a\n'b'''", '"a\\n\'b"'],
  ["''", '""'],
  ["{1, 2}", null],
  ["{[1]: 2}", null],
  ["007", null],
  ["1 2", null],
  ["[1 2]", null],
  ["[1,,2]", null],
  ["[,]", null],
  ["[1", null],
  ["{'a' 1}", null],
  ["{'a': }", null],
  ["'open", null],
  ["'a\nb'", null],
  ["'\\x4'", null],
  ["'\\N{DASH}'", null],
  ["'\\U00110000'", null],
  ["name", null],
  ["Truely", null],
  ["f(1)", null],
  ["1 + 1", null],
  ["b'x'", null],
  ["", null],
  [".", null],
  ["1a", null],
];

describe("agent/tool-parsers: Python literals", () => {
  for (const [text, json] of LITERALS) {
    it(`${JSON.stringify(text)} is ${json ?? "none"}`, () => {
      expect(pythonLiteral(text)).to.equal(json);
    });
  }

  it("gives up on what is nested too deep", () => {
    expect(pythonLiteral(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)).to.equal(null);
    expect(pythonLiteral(`${"(".repeat(150)}1${")".repeat(150)}`)).to.equal("1");
  });
});
