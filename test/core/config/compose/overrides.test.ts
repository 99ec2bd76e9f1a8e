import { expect } from "chai";
import fc from "fast-check";
import type { JsonValue } from "../../../../core/host/index.js";
import { codedError, document } from "../support.js";

const BASE = "a: {b: 1, c: {d: x}}\nlist: [1, 2]\nnone: null\n";
const value = (text: string) => (document("v: 0\n", [`v=${text}`]) as { v: unknown }).v;
const fault = (override: string) => codedError(() => document(BASE, [override]));

describe("core/config/compose/overrides", () => {
  it("T28: reads literals, and text that only looks like one as text", () => {
    expect(["", "NULL", "True", "-3", "1.5", "1e-6", ".5", "'42'", '"true"'].map(value)).to.deep.equal([
      "",
      null,
      true,
      -3,
      1.5,
      1e-6,
      0.5,
      "42",
      "true",
    ]);
    expect(["010", "1-2", "v1", "1 2", "true story", "12:30"].map(value)).to.deep.equal([
      "010",
      "1-2",
      "v1",
      "1 2",
      "true story",
      "12:30",
    ]);
  });

  it("trims plain text and keeps its inner spaces and allowed signs", () => {
    expect(value("  two  words ")).to.equal("two  words");
    expect(value("s3://bucket/p-1_x.json?a@b|c%20+$HOME*")).to.equal("s3://bucket/p-1_x.json?a@b|c%20+$HOME*");
    expect(value("C:\\models\\m1")).to.equal("C:\\models\\m1");
  });

  it("escapes only the quote inside quotes", () => {
    expect(value("'it\\'s'")).to.equal("it's");
    expect(value('"a\\\\"')).to.equal("a\\");
    expect(value("'\\n [x], {y} = z'")).to.equal("\\n [x], {y} = z");
  });

  it("reads nested lists and dicts", () => {
    expect(value("[[1, [a b]], {k: [x], 'q r': null}, []]")).to.deep.equal([
      [1, ["a b"]],
      { k: ["x"], "q r": null },
      [],
    ]);
  });

  it("gives back any JSON value that is written with quotes", () => {
    const key = fc.stringMatching(/^[a-z_]{1,6}$/).filter((text) => text !== "__proto__");
    const { json } = fc.letrec<{ json: JsonValue; leaf: JsonValue }>((tie) => ({
      leaf: fc.oneof(
        fc.string().filter((text) => !text.includes("$")),
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
      ),
      json: fc.oneof(
        { depthSize: "small" },
        tie("leaf"),
        fc.array(tie("json"), { maxLength: 4 }),
        fc.dictionary(key, tie("json"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(json, (expected) => {
        const actual = (document("{}", [`+v=${written(expected)}`]) as { v: unknown }).v;
        expect(actual).to.deep.equal(JSON.parse(JSON.stringify(expected)));
      }),
    );
  });

  it("sets, adds, forces and removes", () => {
    const all = ["a.b=2", "+a.new.deep=[1]", "++none=x", "++fresh=1", "~a.c", "list.1=9"];
    expect(document(BASE, all)).to.deep.equal({ a: { b: 2, new: { deep: [1] } }, list: [1, 9], none: "x", fresh: 1 });
  });

  it("lets + set a key without a value, and merge a dict into a section", () => {
    expect(document(BASE, ["+none=1", "+a={e: 2}"])).to.deep.equal({
      a: { b: 1, c: { d: "x" }, e: 2 },
      list: [1, 2],
      none: 1,
    });
  });

  it("merges a dict over a section and replaces lists", () => {
    expect(document(BASE, ["a={b: 3}", "list=[x]"])).to.deep.equal({
      a: { b: 3, c: { d: "x" } },
      list: ["x"],
      none: null,
    });
  });

  it("does not set below a value, nor add what is there", async () => {
    expect((await fault("+a.b.x=1")).message).to.contain("a.b is a value, not a section");
    expect((await fault("none.x=1")).message).to.contain("none.x");
    expect((await fault("list.7=1")).message).to.contain("list.7");
    expect((await fault("+a.b=1")).message).to.contain("a.b exists already");
    expect((await fault("a={c: {new: 1}}")).message).to.contain("a.c.new");
    expect((await fault("a=[1]")).message).to.contain("a is a section, and the value is a list");
    expect((await fault("list={x: 1}")).message).to.contain("list is a list");
    expect((await fault("~a.b=2")).message).to.contain("another value");
  });

  it("shows where a value cannot be read", async () => {
    const error = await fault("a.b=x;y");
    expect(error.message).to.contain('";" needs quotes');
    expect(error.why).to.equal(`a.b=x;y\n${" ".repeat(5)}^`);
    for (const text of ["[1,,2]", "[1", "{a}", "'x' y", "${a", "a=b", "[1] 2"]) {
      expect((await fault(`a.b=${text}`)).code).to.equal("VERL_CONFIG_OVERRIDE");
    }
    for (const text of ["a..b=1", "=1", "a b=1", "a.b"])
      expect((await fault(text)).code).to.equal("VERL_CONFIG_OVERRIDE");
  });
});

/** A value in the override grammar, all texts quoted. */
function written(json: JsonValue): string {
  if (typeof json === "string") return `'${json.replace(/(\\*)'/g, "$1$1\\'").replace(/(\\+)$/, "$1$1")}'`;
  if (Array.isArray(json)) return `[${json.map(written).join(", ")}]`;
  if (typeof json !== "object" || json === null) return JSON.stringify(json);
  return `{${Object.entries(json as Record<string, JsonValue>)
    .map(([key, item]) => `${key}: ${written(item)}`)
    .join(", ")}}`;
}
