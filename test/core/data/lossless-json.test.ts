import { expect } from "chai";
import fc from "fast-check";
import { JsonFloat, parseLosslessJson } from "../../../core/data/lossless-json.js";
import { dumpsLikePython } from "../../../core/data/python-json.js";
import { errorOf } from "../formats/support.js";

const printed = (text: string) => dumpsLikePython(parseLosslessJson(text));

describe("lossless JSON", () => {
  it("keeps what JSON.parse loses", () => {
    expect(parseLosslessJson("1")).to.equal(1);
    expect(parseLosslessJson("1.0")).to.deep.equal(new JsonFloat(1));
    expect(parseLosslessJson("1.5")).to.equal(1.5);
    expect(parseLosslessJson("-12345678901234567890")).to.equal(-12345678901234567890n);
    expect([...(parseLosslessJson('{"b": 1, "2": 2, "1": 3, "b": 4}') as Map<string, unknown>)]).to.deep.equal([
      ["b", 4],
      ["2", 2],
      ["1", 3],
    ]);
    expect([...(parseLosslessJson('{"__proto__": {}}') as Map<string, unknown>).keys()]).to.deep.equal(["__proto__"]);
  });

  const prints: [string, string][] = [
    ["-0", "0"],
    ["-0.0", "-0.0"],
    ["1e5", "100000.0"],
    ["1e16", "1e+16"],
    ["1e-7", "1e-07"],
    ["1e400", "Infinity"],
    ["[NaN, -Infinity]", "[NaN, -Infinity]"],
    ['{"a":[1,2.0],"b":{}}', '{"a": [1, 2.0], "b": {}}'],
    ['"\\u00e9\\ud83d\\ude42\\/"', '"é🙂/"'],
  ];
  for (const [text, expected] of prints) {
    it(`prints ${text} as Python does`, () => {
      expect(printed(text)).to.equal(expected);
    });
  }

  const refused = [
    "",
    "01",
    "1.",
    ".5",
    "+1",
    "[1,]",
    '{"a":1,}',
    "{a:1}",
    "'a'",
    '"\n"',
    '"\\x"',
    '"\\u12"',
    "[1 2]",
    "1 2",
    "nul",
    '"a',
    "\ufeff1",
  ];
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text)}`, async () => {
      expect((await errorOf(() => parseLosslessJson(text))).code).to.equal("VERL_DATA_JSON_INVALID");
    });
  }

  it("refuses nesting that would exhaust the stack", async () => {
    const error = await errorOf(() => parseLosslessJson("[".repeat(100000)));
    expect(error.code).to.equal("VERL_DATA_JSON_INVALID");
  });

  it("reads and prints as many levels as Python 3.11", () => {
    const nested = (levels: number) => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
    expect(printed(nested(992))).to.equal(nested(992));
    expect(() => parseLosslessJson(nested(993))).to.throw("nested more than 992 deep");
  });

  it("names line and column", async () => {
    const error = await errorOf(() => parseLosslessJson('{"a": 1,\n "b": x}'));
    expect(error.message).to.include("line 2, column 7");
  });

  it("reads what JSON.stringify writes", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(printed(JSON.stringify(value)))).to.deep.equal(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
