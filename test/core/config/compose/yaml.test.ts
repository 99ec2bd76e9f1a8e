import { expect } from "chai";
import { type Dict, parseYaml, toPlain } from "../../../../core/config/index.js";
import { codedError } from "../support.js";

const read = (text: string) => toPlain(parseYaml(text, "run.yaml"));
const fault = (text: string) => codedError(() => read(text));

describe("core/config/compose/yaml", () => {
  it("T28: reads numbers, switches and texts by the core schema of YAML 1.2", () => {
    const text =
      'a: 1e-6\nb: "1e-6"\nc: 010\nd: yes\ne: 1_000\nf: 12:30\ng: 2026-01-02\nh: True\ni: ~\nj: 0x10\nk: .5\n';
    expect(read(text)).to.deep.equal({
      a: 1e-6,
      b: "1e-6",
      c: 10,
      d: "yes",
      e: "1_000",
      f: "12:30",
      g: "2026-01-02",
      h: true,
      i: null,
      j: 16,
      k: 0.5,
    });
  });

  it("keeps keys that look like values or like prototypes as they are written", () => {
    const read1 = read("off: 1\n010: 2\n__proto__: {x: 3}\n") as Record<string, unknown>;
    expect(Object.keys(read1)).to.deep.equal(["off", "010", "__proto__"]);
    expect(Object.getPrototypeOf(read1)).to.equal(Object.prototype);
  });

  it("knows line and column of each value", () => {
    const tree = parseYaml("a:\n  b: 1\n", "run.yaml");
    const a = tree.entries.get("a") as Dict;
    expect(a.entries.get("b")?.source).to.deep.equal({ kind: "file", file: "run.yaml", line: 2, column: 6 });
  });

  it("takes an empty file for an empty configuration", () => {
    expect(read("")).to.deep.equal({});
    expect(read("# nothing\n")).to.deep.equal({});
  });

  it("names the place of a syntax error", async () => {
    const error = await fault("a: 1\nb: [1, 2\nc: 3\n");
    expect(error.code).to.equal("VERL_CONFIG_SYNTAX");
    expect(error.where).to.match(/^run\.yaml:\d+:\d+$/);
  });

  it("refuses duplicate keys, several documents, unknown tags and a top that is no mapping", async () => {
    expect((await fault("a: 1\nb: 2\na: 3\n")).where).to.equal("run.yaml:3:1");
    expect((await fault('1: a\n"1": b\n')).message).to.contain('"1" occurs twice');
    expect((await fault("a: 1\n---\nb: 2\n")).message).to.contain("more than one YAML document");
    expect((await fault("a: !thing 1\n")).code).to.equal("VERL_CONFIG_SYNTAX");
    expect((await fault("- a\n- b\n")).message).to.contain("mapping");
  });

  it("expands aliases, but neither bombs nor circles", async () => {
    expect(read("a: &x {b: 1}\nc: *x\n")).to.deep.equal({ a: { b: 1 }, c: { b: 1 } });
    const levels = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(", ")}]`);
    expect((await fault(`l0: &l0 [x]\n${levels.join("\n")}\n`)).message).to.contain("More than");
    expect((await fault("a: &x\n  b: *x\n")).message).to.match(/contains it|no anchor/);
  });
});
