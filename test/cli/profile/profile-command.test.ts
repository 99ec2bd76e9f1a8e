import { readdir } from "node:fs/promises";
import os from "node:os";
import { expect } from "chai";
import type { ProfileReport } from "../../../cli/profile/report.js";
import { FAKE_PLUGIN } from "../../core/trainer/support/child.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { ONNX_OVERRIDES, TOY_OVERRIDES } from "../../core/trainer/support/toy-task.js";
import { cli } from "../support.js";

describe("cli/profile command", () => {
  let folder: ToyFolder;
  before(async () => {
    folder = await ToyFolder.create();
  });
  after(() => folder[Symbol.asyncDispose]());

  it("says where time and memory of the ONNX engine go, and leaves nothing but the trace that it was asked for", async () => {
    const before = await readdir(folder.dir);
    const args = [...TOY_OVERRIDES, ...ONNX_OVERRIDES, "trainer.device=cpu", "trainer.save_freq=1"];
    const result = await cli(["profile", ...args, "--steps", "1", "--trace", "trace.json", "--json"], {
      cwd: folder.dir,
    });
    expect(result.code, result.stderr).to.equal(0);
    const report = result.json<ProfileReport & { trace: string }>();
    expect(report).to.include({ steps: 1, warmUp: 1 });
    const partsOf = (timer: string) =>
      report.stages.find((stage) => stage.timer === timer)?.parts.map(({ name }) => name);
    expect(partsOf("gen")).to.include.members(["prefill", "decode", "draw"]);
    expect(partsOf("old_log_prob")).to.include("forward");
    expect(partsOf("update_actor")).to.include.members(["forward and backward", "embedding gradient", "optimizer"]);
    expect(partsOf("update_weights")).to.include("load weights");
    expect(report.stages.map(({ timer }) => timer)).to.include("save_checkpoint");

    const [sampling, training] = report.operators;
    expect([sampling.purpose, training.purpose]).to.deep.equal(["sampling", "training"]);
    const named = (shares: readonly { name: string }[]) => shares.map(({ name }) => name);
    expect(named(sampling.parts)).to.include.members(["attention", "mlp", "norm", "head"]);
    expect(named(training.parts)).to.include.members([
      "attention",
      "attention backward",
      "mlp backward",
      "head",
      "loss",
    ]);
    expect(named(training.kinds)).to.include("Gemm");
    expect(report.memory.peakBytes).to.be.above(0);
    expect(report.memory.parts.map(({ owner, name }) => `${owner} ${name}`)).to.include("rollout weights");

    const { traceEvents } = JSON.parse(await folder.read("trace.json")) as {
      traceEvents: { name: string; ph: string }[];
    };
    expect(traceEvents.filter(({ ph }) => ph === "X").map(({ name }) => name)).to.include.members([
      "step",
      "update",
      "decode",
    ]);
    expect(await readdir(folder.dir)).to.have.members([...before, "trace.json"]);
    expect((await readdir(os.tmpdir())).filter((name) => name.startsWith("verl-profile-"))).to.deep.equal([]);
  });

  it("gives the stages of engines that know nothing of profiles", async () => {
    const { code, stdout, stderr } = await cli(["profile", ...TOY_OVERRIDES], {
      cwd: folder.dir,
      env: { VERL_USE_EXTERNAL_MODULES: FAKE_PLUGIN },
    });
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/^A step takes .* \(mean of 2 after 1 to warm up\)/);
    for (const stage of ["sampling and reward", "old log-probs", "update", "checkpoint", "weight sync"]) {
      expect(stdout).to.include(`\n${stage} `);
    }
    expect(stdout).to.include("The engine gives no times of its operators.");
  });
});
