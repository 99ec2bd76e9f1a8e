import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { operatorTimes } from "../../../cli/profile/operator-trace.js";
import { ProfileRecorder } from "../../../cli/profile/recorder.js";
import { profileLines } from "../../../cli/profile/render-text.js";
import { profileReport } from "../../../cli/profile/report.js";
import { painter } from "../../../cli/program/io.js";

const at = (name: string, start: number, end: number, ...within: string[]) => ({ name, within, start, end });
const MiB = 2 ** 20;

/** Two steps of which the first warms up, sampling and update in each. */
const RECORDED = {
  stages: [
    at("gen", 0, 900, "step"),
    at("step", 0, 1000),
    at("gen", 1000, 1300, "step"),
    at("update_actor", 1300, 1900, "step"),
    at("step", 1000, 2000),
  ],
  spans: [
    at("decode", 100, 800, "step", "gen"),
    at("decode", 1000, 1100, "step", "gen"),
    at("decode", 1100, 1200, "step", "gen"),
    at("forward and backward", 1400, 1900, "step", "update_actor"),
    at("load weights", 2100, 2200),
  ],
  memory: [
    { at: 1100, bytes: 100 * MiB },
    { at: 1500, bytes: 300 * MiB },
    { at: 2100, bytes: 200 * MiB },
  ],
};
const PARTS = [
  { owner: "actor" as const, name: "weights", bytes: 50 * MiB, during: "always" as const },
  { owner: "actor" as const, name: "activations", bytes: 80 * MiB, during: "training" as const },
  { owner: "rollout" as const, name: "cache", bytes: 70 * MiB, during: "sampling" as const },
];

describe("cli/profile report", () => {
  const report = profileReport(RECORDED, [], { parts: PARTS }, 1);

  it("gives stages as means of the steps after the warm-up, with what was done in them and the rest", () => {
    expect(report).to.include({ steps: 1, warmUp: 1, stepSeconds: 1 });
    const [sampling, update, rest] = report.stages;
    expect(sampling).to.include({ name: "sampling and reward", timer: "gen", seconds: 0.3, peakBytes: 100 * MiB });
    expect(sampling.parts[0]).to.include({ name: "decode", seconds: 0.2, calls: 2 });
    expect(sampling.parts[1].name).to.equal("the rest");
    expect(update).to.include({ name: "update", peakBytes: 300 * MiB });
    expect(update.parts.map(({ name }) => name)).to.deep.equal(["forward and backward", "the rest"]);
    expect(rest.seconds).to.be.closeTo(0.1, 1e-9);
  });

  it("names what is held at the peak of memory", () => {
    expect(report.memory).to.include({ peakBytes: 300 * MiB, peakStage: "update", restBytes: 170 * MiB });
    expect(report.memory.parts.map(({ name }) => name)).to.deep.equal(["weights", "activations"]);
  });

  it("prints bars, and says where an engine gives no times", () => {
    const text = profileLines(report, painter(false)).join("\n");
    expect(text).to.match(/^A step takes 1\.0 s \(mean of 1 after 1 to warm up\)/);
    expect(text).to.match(/sampling and reward +300 ms +30 % {2}█████+·+ {2}100 MiB/);
    expect(text).to.include("The engine gives no times of its operators.");
    expect(text).to.include('At most 300 MiB of memory, in the stage "update"');
  });

  it("measures a run of a single step", () => {
    const { steps, stepSeconds } = profileReport({ ...RECORDED, stages: [at("step", 0, 500)] }, [], { parts: [] }, 1);
    expect([steps, stepSeconds]).to.deep.equal([1, 0.5]);
  });
});

describe("cli/profile recorder", () => {
  it("places what engines do in the stage under way, and survives errors", async () => {
    const recorder = new ProfileRecorder("/nowhere");
    await recorder.stage("step", async () => {
      await recorder.stage("gen", () => recorder.span("decode", async () => {}));
      await recorder.stage("adv", () => Promise.reject(new Error("broken"))).catch(() => {});
    });
    await recorder.span("load weights", async () => {});
    recorder.stop();
    expect(recorder.stages.map(({ name, within }) => [name, ...within])).to.deep.equal([
      ["gen", "step"],
      ["adv", "step"],
      ["step"],
    ]);
    expect(recorder.spans.map(({ name, within }) => [name, ...within])).to.deep.equal([
      ["decode", "step", "gen"],
      ["load weights"],
    ]);
    expect(recorder.memory.length).to.be.above(4);
  });
});

describe("cli/profile operator traces", () => {
  it("sums kernels by part and kind, and loops by what is in them", async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "verl-trace-"));
    const event = (name: string, kind: string, dur: number) =>
      `{"cat" : "Node","pid" :1,"tid" :1,"dur" :${dur},"ts" :5,"ph" : "X","name" :"${name}","args" : {"op_name" : "${kind}"}}`;
    const trace = (...lines: string[]) => `[\n${lines.join(",\n")}\n]\n`;
    try {
      const session =
        '{"cat" : "Session","pid" :1,"tid" :1,"dur" :9,"ts" :1,"ph" : "X","name" :"model_run","args" : {}}';
      await writeFile(
        path.join(folder, "training-0_a.json"),
        trace(
          session,
          event("attention/MatMul_1_kernel_time", "MatMul", 100),
          event("attention/Loop_2_kernel_time", "Loop", 500),
          event("attention/MatMul_1_fence_before", "MatMul", 7),
        ),
      );
      await writeFile(path.join(folder, "training-1_a.json"), trace(event("MatMul_9_kernel_time", "MatMul", 300)));
      await writeFile(path.join(folder, "sampling-2_a.json"), trace(event("head/Gemm_1_kernel_time", "Gemm", 50)));
      const [sampling, training] = await operatorTimes(folder);
      expect(sampling).to.deep.equal({
        purpose: "sampling",
        seconds: 5e-5,
        parts: new Map([["head", 5e-5]]),
        kinds: new Map([["Gemm", 5e-5]]),
      });
      expect([...training.parts.keys()]).to.deep.equal(["attention", "other"]);
      expect(training.kinds.get("MatMul")).to.be.closeTo(4e-4, 1e-12);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
