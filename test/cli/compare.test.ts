import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { metricsLine, writeRunFiles } from "../../core/tracking/index.js";
import { cli } from "./support.js";

const SCORE = "val-core/toy/acc/mean@1";
const ERROR = "val-aux/toy/acc/mean@1/stderr";

describe("verl compare", () => {
  let cwd = "";
  before(async () => {
    cwd = await mkdtemp(path.join(os.tmpdir(), "verl-compare-"));
    await run("a", 20, 0, "trainer:\n  seed: 1 # default\n  threads: 2\n");
    await run("b", 30, 0.5, "trainer:\n  seed: 2\n  threads: 2\n  extra: [1]\n");
    await mkdir(path.join(cwd, "old"));
    await writeFile(path.join(cwd, "old", "metrics.jsonl"), `${metricsLine(1, { "critic/rewards/mean": 0.25 })}\n`);
  });
  after(() => rm(cwd, { recursive: true }));

  async function run(name: string, steps: number, more: number, config: string): Promise<void> {
    const dir = path.join(cwd, name);
    await writeRunFiles(dir, config, { version: "0.1.0", cwd, startedAt: "2026-01-02T03:04:05.000Z" });
    const lines = Array.from({ length: steps }, (_, i) => {
      const step = i + 1;
      const validation: Record<string, number> =
        step % 10 === 0 ? { [SCORE]: (step / 100 + more) / 2, [ERROR]: 0.01 } : {};
      const reward = step === 5 ? 2 : step / 100 + more;
      return metricsLine(step, {
        "critic/rewards/mean": reward,
        "actor/entropy": step === 3 ? Number.NaN : 1 / step,
        "actor/grad_norm": 1,
        ...validation,
      });
    });
    await writeFile(path.join(dir, "metrics.jsonl"), lines.map((line) => `${line}\n`).join(""));
  }
  const compare = (...args: string[]) => cli(["compare", ...args], { cwd });

  it("puts final and best values side by side with their differences and curves", async () => {
    const { code, stdout } = await compare("a", "b");
    expect(code).to.equal(0);
    const [block] = stdout.split("\ncritic/rewards/mean\n")[1].split("\n\n");
    const rows = new Map(block.split("\n").map((row) => [row.trim().split(" ")[0], row]));
    expect(rows.get("final")).to.match(/^ {2}final +0\.195 +0\.790 {2}\(\+0\.595\)$/);
    expect(rows.get("best")).to.match(/2 at step 5 +2 at step 5 {2}\(0\)$/);
    expect(rows.get("curve")).to.match(/^ {2}curve +[▁▂█]+ +[▁▂▃▄█]+$/);
    expect(stdout).to.include("2026-01-02 03:04");
  });

  it("gives validation scores their intervals, and marks differences beyond them", async () => {
    const { stdout } = await compare("a", "b");
    expect(stdout).to.match(/last +0\.100 ± 0\.020 +0\.400 ± 0\.020 {2}\(\+0\.300 ± 0\.028 \*\)/);
    const { json } = await compare("a", "a", "--json");
    const [score] = json<{ scores: { name: string; runs: { interval: number; last: object }[] }[] }>().scores;
    expect(score.name).to.equal(SCORE);
    expect(score.runs[0].interval).to.be.closeTo(0.0196, 1e-9);
    expect(score.runs[0].last).to.deep.equal({ step: 20, value: 0.1 });
  });

  it("lists the settings that differ, and runs that kept none", async () => {
    const { stdout, json } = await compare("a", "b");
    expect(stdout)
      .to.match(/trainer\.seed +1 +2\n/)
      .and.match(/trainer\.extra +– +\[1\]/);
    expect(stdout).not.to.include("trainer.threads");
    expect((await compare("a", "a")).stdout).to.include("The configurations are equal.");
    expect((await compare("a", "b", "old")).stdout).to.include("No configuration was kept of old.");
    expect(() => json()).to.throw();
  });

  it("compares more than two runs, and runs of different length", async () => {
    const { stdout } = await compare("a", "b", "old");
    expect(stdout).to.match(/final +0\.195 +0\.790 {2}\(\+0\.595\) +0\.250 {2}\(\+0\.055\)/);
    expect(stdout).to.match(/steps +20 +30 +1\n/);
  });

  it("adds metrics by name and pattern, and names the nearest to a wrong one", async () => {
    expect((await compare("a", "b", "--metric", "actor/gr*")).stdout).to.include("\nactor/grad_norm\n");
    const { code, stderr } = await compare("a", "b", "--metric", "actor/grad_nrm");
    expect(code).to.equal(2);
    expect(stderr).to.include("Did you mean actor/grad_norm?");
  });

  it("writes a page with a line per run", async () => {
    const { stdout } = await compare("a", "b", "--html", "page.html");
    expect(stdout).to.equal(`${path.join(cwd, "page.html")}\n`);
    const page = await readFile(path.join(cwd, "page.html"), "utf8");
    expect(page).to.match(/critic\/rewards\/mean<\/h4><span class="legend"><i class="l0"><\/i>a <i class="l1"><\/i>b/);
    expect(page).to.not.match(/https?:|\bsrc=/);
  });

  it("refuses a folder that is no run, and a single run", async () => {
    expect((await compare("a", "none")).stderr).to.include("VERL_TRACKING_NO_RUN");
    expect((await compare("a")).code).to.equal(2);
  });
});
