import { readFileSync } from "node:fs";
import { expect } from "chai";

/** Rows that end in a constant with its value and the file that defines it. */
const ROW = /\| `([A-Z_]+ = [^`]+)` \| (\S+\.ts) \|$/gm;
const rows = [...readFileSync("docs/Reference/limits.md", "utf8").matchAll(ROW)];

describe("docs/Reference/limits.md", () => {
  it("lists limits", () => expect(rows).to.have.length.above(30));

  for (const [, definition, file] of rows) {
    it(`states ${definition} as ${file} does`, () => {
      expect(readFileSync(file, "utf8")).to.contain(`const ${definition};`);
    });
  }
});
