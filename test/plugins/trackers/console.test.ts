import { expect } from "chai";
import type { RunInfo } from "../../../core/plugin.js";
import { ConsoleTracker, consoleTracker } from "../../../plugins/trackers/console/console-tracker.js";
import { fakeRunInfo, runConformance, trackerConformance } from "../../../testing/index.js";

const STEP = {
  "critic/rewards/mean": 0.5321,
  "response_length/mean": 123.4,
  "actor/entropy": 0.71,
  "training/sampler_gap/max": 3e-6,
  "perf/throughput": 3120.4,
  "timing_s/step": 4.1,
  "some/other": 1,
};
const VAL = { "val-core/openai/gsm8k/acc/mean@1": 0.61, "val-aux/openai/gsm8k/reward/mean@1": 0.2 };

function begin(over: Partial<RunInfo> = {}) {
  const run = fakeRunInfo({ outputDir: "/runs/x", totalSteps: 100, ...over });
  const tracker = new ConsoleTracker();
  tracker.start(run);
  return { tracker, run, lines: () => run.text().split("\n").slice(0, -1) };
}

describe("console tracker", () => {
  it("says what runs, and prints one line per step with the numbers that matter", () => {
    const { tracker, lines } = begin();
    tracker.log({ ...STEP, ...VAL }, 7);
    expect(lines()[0]).to.equal("project/experiment  100 steps, output in /runs/x");
    expect(lines()[1]).to.match(
      /^step {3}7\/100 {2}reward {2}0\.532 {2}length 123\.4 {2}entropy {2}0\.710 {2}gap 3\.0e-6 {3}3,120 tok\/s {4}4\.1 s\/step {2}eta \S+ \S+ +val 0\.610$/,
    );
  });

  it("keeps the columns of successive steps aligned", () => {
    const { tracker, lines } = begin();
    tracker.log(STEP, 9);
    tracker.log({ ...STEP, "critic/rewards/mean": -12.25, "response_length/mean": 7, "perf/throughput": 90 }, 10);
    const [, a, b] = lines();
    for (const label of ["reward", "length", "entropy", "gap", "tok/s", "/step", "eta"]) {
      expect(a.indexOf(label), label).to.equal(b.indexOf(label)).and.to.be.greaterThan(0);
    }
  });

  it("says how stale the weights behind a step were, where they were", () => {
    const { tracker, lines } = begin();
    const stale = "training/off_policy/trajectory_staleness_worst/max";
    tracker.log({ ...STEP, [stale]: 0 }, 1);
    tracker.log({ ...STEP, [stale]: 3 }, 2);
    expect(lines()[1]).not.to.contain("stale");
    expect(lines()[2]).to.match(/ stale 3 /);
  });

  it("prints a validation before the first step by itself", () => {
    const { tracker, lines } = begin();
    tracker.log(VAL, 0);
    expect(lines()[1]).to.equal("step   0/100  val 0.610");
  });

  it("names data sources where there are several", () => {
    const { tracker, lines } = begin();
    tracker.log(
      { "val-core/a/acc/mean@4": 0.25, "val-core/b/c/reward/mean@1": 0.5, "val-core/a/acc/best@4/mean": 1 },
      0,
    );
    expect(lines()[1]).to.equal("step   0/100  val a 0.250  val b/c 0.500");
  });

  it("says where a resumed run goes on, and how a run ended", () => {
    const { tracker, lines } = begin({ startStep: 98 });
    tracker.log({ ...STEP, "critic/rewards/mean": 0.2 }, 99);
    tracker.log(STEP, 100);
    tracker.finish({ exitCode: 0 });
    expect(lines()[0]).to.contain("steps 99 to 100");
    expect(lines()[3]).to.match(/^done: 100 steps in .+, reward 0\.200 → 0\.532$/);
  });

  it("says at which step a run was stopped", () => {
    const { tracker, lines } = begin();
    tracker.log(STEP, 3);
    tracker.finish({ exitCode: 1 });
    expect(lines()[2]).to.match(/^ended at step 3 of 100 after /);
  });

  it("writes JSON lines and nothing else with --json", () => {
    const { tracker, lines } = begin({ json: true, isTTY: true, color: true });
    tracker.progress({ step: 1, phase: "sampling" });
    tracker.log({ "critic/rewards/mean": 0.5, "actor/grad_norm": Number.NaN }, 1);
    tracker.finish({ exitCode: 0 });
    expect(lines().map((line) => JSON.parse(line))).to.deep.equal([
      {
        event: "start",
        projectName: "project",
        experimentName: "experiment",
        totalSteps: 100,
        startStep: 0,
        outputDir: "/runs/x",
      },
      { event: "step", step: 1, totalSteps: 100, data: { "critic/rewards/mean": 0.5, "actor/grad_norm": "NaN" } },
    ]);
  });

  it("rewrites one live line on a terminal and removes it before the step's line", () => {
    const { tracker, run } = begin({ isTTY: true });
    tracker.progress({ step: 1, phase: "sampling", done: 32, total: 64 });
    const live = run.text().split("\n")[1];
    expect(live).to.equal("\r\u001b[2Kstep   1/100  sampling  ━━━━━━━━╌╌╌╌╌╌╌╌ 32/64\r");
    tracker.log(VAL, 0);
    expect(run.text().split("\n")[1]).to.equal(`${live}\r\u001b[2Kstep   0/100  val 0.610`);
    tracker.finish({ exitCode: 0 });
  });

  it("draws the live line at most ten times a second", () => {
    const { tracker, run } = begin({ isTTY: true });
    for (let done = 0; done < 1000; done++) tracker.progress({ step: 1, phase: "sampling", done, total: 1000 });
    expect(run.text().split("sampling")).to.have.length.lessThan(50);
    tracker.finish({ exitCode: 0 });
  });

  it("leaves out the least important numbers where the terminal is narrow", () => {
    const { tracker, lines } = begin({ isTTY: true });
    tracker.log({ ...STEP, ...VAL }, 7);
    const line = lines()[1];
    expect(line.length).to.be.at.most(80);
    expect(line).to.contain("reward").and.contain("val 0.610").and.not.contain("tok/s");
    tracker.finish({ exitCode: 0 });
  });

  it("marks a number that is not finite in red, and uses colour only when asked", () => {
    const coloured = begin({ color: true });
    coloured.tracker.log({ ...STEP, "critic/rewards/mean": Number.NaN }, 1);
    expect(coloured.lines()[1]).to.contain("\u001b[31m   NaN\u001b[0m");
    const plain = begin();
    plain.tracker.log({ ...STEP, "critic/rewards/mean": Number.NaN }, 1);
    expect(plain.lines()[1]).to.contain("reward    NaN").and.not.contain("\u001b");
  });
});

runConformance("console tracker", trackerConformance({ factory: consoleTracker }), { describe, it });
