import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { parquetReadObjects } from "hyparquet";
import { metricsLine } from "../../core/tracking/index.js";
import { cli } from "./support.js";

const TIME = new Date("2026-01-02T03:04:05.000Z");

describe("verl export", () => {
  let cwd = "";
  before(async () => {
    cwd = await mkdtemp(path.join(os.tmpdir(), "verl-export-"));
    await mkdir(path.join(cwd, "run"));
    const lines = [
      metricsLine(0, { "val/acc": 0.5 }, TIME),
      metricsLine(1, { "actor/loss": 0.1, "actor/entropy": Number.NaN }, TIME),
      metricsLine(2, { "actor/loss": Number.POSITIVE_INFINITY, "val/acc": 1, 'odd,"name"': -3e-7 }),
    ];
    // The last line is being written: the run is under way.
    await writeFile(path.join(cwd, "run", "metrics.jsonl"), `${lines.join("\n")}\n{"step":3,"da`);
  });
  after(() => rm(cwd, { recursive: true }));

  const run = (...args: string[]) => cli(["export", "run", ...args], { cwd });

  it("prints CSV: a row a step, empty where a step has no such metric", async () => {
    const { code, stdout, stderr } = await run();
    expect(code, stderr).to.equal(0);
    expect(stdout.split("\n")).to.deep.equal([
      'step,time,val/acc,actor/loss,actor/entropy,"odd,""name"""',
      "0,2026-01-02T03:04:05.000Z,0.5,,,",
      "1,2026-01-02T03:04:05.000Z,,0.1,NaN,",
      "2,,1,Infinity,,-3e-7",
      "",
    ]);
  });

  it("prints one JSON object with --json", async () => {
    const { json } = await run("--json", "--metric", "val/acc");
    expect(json<{ rows: object[] }>().rows).to.deep.include({ step: 2, "val/acc": 1 });
  });

  it("writes JSON lines and Parquet, by the ending or by --format", async () => {
    await run("-o", "a.jsonl");
    expect((await readFile(path.join(cwd, "a.jsonl"), "utf8")).split("\n")[2]).to.equal(
      '{"step":2,"val/acc":1,"actor/loss":"Infinity","odd,\\"name\\"":-3e-7}',
    );
    const { json } = await run("--output", "table", "--format", "parquet", "--json");
    const file = path.join(cwd, "table");
    expect(json()).to.deep.equal({ file, format: "parquet", rows: 3, metrics: 4 });
    const bytes = await readFile(file);
    const rows = await parquetReadObjects({
      file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    });
    expect(rows).to.deep.equal([
      {
        step: 0,
        time: TIME.toISOString(),
        "val/acc": 0.5,
        "actor/loss": null,
        "actor/entropy": null,
        'odd,"name"': null,
      },
      {
        step: 1,
        time: TIME.toISOString(),
        "val/acc": null,
        "actor/loss": 0.1,
        "actor/entropy": Number.NaN,
        'odd,"name"': null,
      },
      {
        step: 2,
        time: null,
        "val/acc": 1,
        "actor/loss": Number.POSITIVE_INFINITY,
        "actor/entropy": null,
        'odd,"name"': -3e-7,
      },
    ]);
  });

  it("takes the metrics that are asked for, and names the nearest of one that is not there", async () => {
    expect((await run("--metric", "actor/*", "--metric", "val/acc")).stdout.split("\n")[0]).to.equal(
      "step,time,val/acc,actor/loss,actor/entropy",
    );
    const { code, stderr } = await run("--metric", "actor/los");
    expect(code).to.equal(2);
    expect(stderr).to.include("Did you mean actor/loss?");
  });

  it("refuses what it cannot write, and leaves no file", async () => {
    const before = await readdir(cwd);
    for (const [args, what] of [
      [["-o", "a.xlsx"], "does not say which format"],
      [["--format", "parquet"], "no text for a terminal"],
      [["-o", "nowhere/a.csv"], "VERL_CLI_OUTPUT"],
      [["-o", "run", "--format", "csv"], "there is a folder of this name"],
    ] as const) {
      const { code, stderr } = await run(...args);
      expect(code, stderr).to.equal(2);
      expect(stderr).to.include(what);
    }
    expect(await readdir(cwd)).to.have.members(before);
    expect((await cli(["export", "none"], { cwd })).stderr).to.include("VERL_TRACKING_NO_RUN");
  });

  it("says how the table is got where an option is wrong", async () => {
    const { stderr } = await run("--format", "xls");
    expect(stderr).to.include("Allowed choices are csv, parquet, jsonl").and.include("`verl export --help`");
  });

  it("loads the writer of Parquet only for Parquet", async () => {
    const refuse = `data:text/javascript,${encodeURIComponent(`import { register } from "node:module";
      register("data:text/javascript," + encodeURIComponent("export const resolve = (s, c, next) => { if (s === 'hyparquet-writer') throw new Error('loaded'); return next(s, c); }"));`)}`;
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--import", refuse, path.resolve("dist/cli/main.js"), "export", "run"],
      { cwd, encoding: "utf8" },
    );
    expect(status, stderr).to.equal(0);
  });
});
