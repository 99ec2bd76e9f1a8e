import { expect } from "chai";
import { parseSpecifier } from "../../../../core/host/index.js";
import { thrown } from "../support/hosts.js";

describe("plugin specifier", () => {
  const packages: [text: string, name: string, range: string | null, subpath: string | null][] = [
    ["name", "name", null, null],
    ["name/sub", "name", null, "sub"],
    ["name/a/b.js", "name", null, "a/b.js"],
    ["name@1.2.3", "name", "1.2.3", null],
    ["name@^1.2", "name", "^1.2", null],
    ["name@1.2.3/sub", "name", "1.2.3", "sub"],
    ["@scope/name", "@scope/name", null, null],
    ["@scope/name/sub", "@scope/name", null, "sub"],
    ["@scope/name@1.2.3/sub", "@scope/name", "1.2.3", "sub"],
    ["@scope/name@1.2.3-rc.1", "@scope/name", "1.2.3-rc.1", null],
  ];
  for (const [text, name, range, subpath] of packages) {
    it(`reads ${text}`, () => {
      expect(parseSpecifier(text)).to.deep.equal({ kind: "package", text, name, range, subpath });
    });
  }

  for (const text of ["./a.js", "../a", ".", "/abs/a.js", "C:\\plugins\\a.js", "D:/a.mjs", "\\\\server\\share\\a.js"]) {
    it(`takes ${text} as a path`, () => {
      expect(parseSpecifier(text)).to.deep.equal({ kind: "path", text, path: text });
    });
  }

  it("turns a file: URL into a path", () => {
    expect(parseSpecifier("file:///a/b%20c.js")).to.include({ kind: "path", path: "/a/b c.js" });
  });

  for (const text of [
    "node:fs",
    "https://x.org/a.js",
    "data:text/javascript,1",
    "@scope",
    "a b",
    "@/x",
    "name@latest",
  ]) {
    it(`refuses ${text}`, () => {
      expect(thrown(() => parseSpecifier(text)).code).to.equal("VERL_PLUGIN_BAD_SPECIFIER");
    });
  }
});
