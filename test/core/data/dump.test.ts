import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { DumpRow } from "../../../core/data/index.js";
import { writeDump } from "../../../core/data/index.js";
import { rejection } from "./support.js";

const row = (n: number, more: Partial<DumpRow> = {}): DumpRow => ({
  input: `Zahl ${n}? ä`,
  output: "fünf\nsechs",
  gts: String(n),
  score: n / 2,
  step: 3,
  uid: `u${n}_0_0`,
  ...more,
});

describe("core/data/dump", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "verl-dump-"));
  });
  after(() => rm(folder, { recursive: true }));

  it("writes one object a line in the order given and replaces an older dump of the step", async () => {
    const dir = path.join(folder, "deep/val");
    await writeDump(dir, 3, [row(9)]);
    const rows = Array.from({ length: 600 }, (_, n) => row(n, { acc: n % 2 === 0, pred: null }));
    const file = await writeDump(dir, 3, rows);
    expect(file).to.equal(path.join(dir, "3.jsonl"));
    const text = await readFile(file, "utf8");
    expect(text).to.include("Zahl 1? ä").and.include("fünf\\nsechs");
    expect(
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).to.deep.equal(rows);
    expect(await readdir(dir)).to.deep.equal(["3.jsonl"]);
  });

  it("leaves the older dump when writing fails", async () => {
    const dir = path.join(folder, "failing");
    await writeDump(dir, 1, [row(1)]);
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    expect(await rejection(writeDump(dir, 1, [row(2, { extra: circular as never })]))).to.be.an("error");
    expect(await readdir(dir)).to.deep.equal(["1.jsonl"]);
    expect(await readFile(path.join(dir, "1.jsonl"), "utf8")).to.include("u1_0_0");
  });
});
