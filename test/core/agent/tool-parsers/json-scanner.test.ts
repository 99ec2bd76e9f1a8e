import { expect } from "chai";
import fc from "fast-check";
import { isJson, JsonScanner } from "../../../../core/agent/tool-parsers/json-scanner.js";

describe("agent/tool-parsers: JSON scanner", () => {
  it("agrees with JSON.parse on values and on damaged values", () => {
    const damage = fc.tuple(
      fc.nat(),
      fc.constantFrom("", '"', "{", "}", "[", "]", ",", ":", "\\", "0", "e", "-", "t", "\n"),
    );
    fc.assert(
      fc.property(fc.json(), fc.option(damage), (json, hit) => {
        const at = hit === null ? 0 : hit[0] % (json.length + 1);
        const text = hit === null ? json : json.slice(0, at) + hit[1] + json.slice(at + 1);
        expect(isJson(text), text).to.equal(parses(text));
      }),
      { numRuns: 500 },
    );
  });

  for (const text of [
    "",
    " ",
    "NaN",
    "-",
    "01",
    "1.",
    ".5",
    "1e",
    "+1",
    '"\\x"',
    '"\\u12g4"',
    '"\n"',
    "[1,]",
    '{"a":1,}',
    "{,}",
    "[1 2]",
    "1 1",
    "nul",
    "{1:2}",
    '{"a"}',
    "]",
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(isJson(text)).to.equal(false);
    });
  }

  it("knows strings from structure", () => {
    const scanner = new JsonScanner();
    const inside = Array.from('{"a\\"b":[1,"<\\u0041"]} ', (character) => {
      scanner.push(character.charCodeAt(0));
      return scanner.inString ? "s" : ".";
    }).join("");
    expect(inside).to.equal(".sssss.....ssssssss....");
    expect(scanner.end()).to.equal(null);
  });

  it("bounds the depth, not the stack", () => {
    expect(isJson("[".repeat(990) + "]".repeat(990))).to.equal(true);
    expect(isJson("[".repeat(991) + "]".repeat(991))).to.equal(false);
    const scanner = new JsonScanner();
    for (let i = 0; i < 100_000; i++) scanner.push(0x5b);
    expect(scanner.end()).to.contain("990 deep");
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
