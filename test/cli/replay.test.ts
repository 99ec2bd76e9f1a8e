import { readFile, rm } from "node:fs/promises";
import { expect } from "chai";
import { readMetrics } from "../../core/tracking/index.js";
import { FAKE_PLUGIN } from "../core/trainer/support/child.js";
import { ToyFolder } from "../core/trainer/support/toy-run.js";
import { ONNX_OVERRIDES, TOY_OVERRIDES } from "../core/trainer/support/toy-task.js";
import { cli } from "./support.js";

const RUN = [
  ...TOY_OVERRIDES,
  "trainer.logger=[jsonl]",
  "trainer.rollout_data_dir=run/rollouts",
  "trainer.save_freq=2",
  "trainer.total_training_steps=4",
  "data.val_files=[val.jsonl]",
];

interface Trajectory {
  readonly key: string;
  readonly step: number;
  readonly split: string;
  readonly weightVersions: readonly number[];
}

describe("one half of a run alone", () => {
  let folder: ToyFolder;
  const verl = (args: string[]) => cli(args, { cwd: folder.dir, env: { VERL_USE_EXTERNAL_MODULES: FAKE_PLUGIN } });
  before(async () => {
    folder = await ToyFolder.create();
    const { code, stderr } = await verl(["train", ...RUN]);
    expect(code, stderr).to.equal(0);
  });
  after(() => folder[Symbol.asyncDispose]());

  const recorded = async (...filter: string[]) =>
    (await verl(["inspect", "run", "--json", ...filter])).json<{ trajectories: Trajectory[] }>().trajectories;

  describe("verl replay", () => {
    const replay = (...args: string[]) => verl(["replay", "run", ...args]);

    it("samples what the run sampled, token for token, with the weights of the beginning and of a checkpoint", async () => {
      for (const [step, weights] of [
        ["1", "weights 0 (what the run began with)"],
        ["3", "weights 2 (global_step_2)"],
      ]) {
        const { code, stdout, stderr } = await replay("--step", step, "--split", "train");
        expect(code, stdout + stderr).to.equal(0);
        expect(stdout).to.include(weights);
        expect(stdout)
          .to.match(/same +response +\d tokens?\n/)
          .and.match(/same +sampler's log p +exact on \d tokens/);
        expect(stdout)
          .to.match(/same +trainer's log p/)
          .and.match(/same +score/);
        expect(stdout).not.to.include("different");
      }
    });

    it("finds the session that a key names", async () => {
      const [, other] = await recorded("--step", "3", "--split", "train");
      const { json } = await replay(other.key, "--json");
      const result = json<{ equal: boolean; recorded: Trajectory; replayed: Trajectory; difference: object }>();
      expect(result.equal).to.equal(true);
      expect(result.replayed.key).to.equal(other.key);
      expect(result.difference).to.deep.include({ prompt: null, response: null });
    });

    it("says what was recorded where nothing matches", async () => {
      const nobody = await replay("nobody");
      expect(nobody.code).to.equal(2);
      expect(nobody.stderr).to.match(/no trajectory whose key begins with nobody[\s\S]*Keys begin with \w+/);
      const late = await replay("--step", "99");
      expect(late.stderr).to.include("VERL_CLI_NOTHING_TO_REPLAY").and.include("lie from 0 to 4");
    });

    it("replays a validation", async () => {
      const { code, stdout } = await replay("--split", "val");
      expect(code, stdout).to.equal(0);
      expect(stdout).to.match(/, val, weights/);
    });

    it("says at which token a replay parts from the record, and fails", async () => {
      const { code, stdout } = await replay("--step", "1", "--split", "train", "actor_rollout_ref.rollout.seed=99");
      expect(code).to.equal(1);
      expect(stdout).to.match(/different +response +from token \d on: \d+ ".+" recorded, \d+ ".+" now/);
      expect(stdout)
        .to.match(/same +prompt/)
        .and.match(/\nrecorded: .+\nnow: /);
    });

    it("says which weights are kept when those of a trajectory are gone", async () => {
      const [gone] = await recorded("--step", "2", "--split", "train");
      const { code, stderr } = await replay(gone.key, "--step", "2");
      expect(code).to.equal(2);
      expect(stderr).to.include("sampled by weights 1; kept are 0, 2, 4");
    });

    it("does not run code that lies in the run's own folder", async () => {
      const config = await folder.read("run", "config.yaml");
      await folder.write("run/reward.mjs", "throw new Error('should not run');");
      await folder.write("run/config.yaml", config.replace("path: reward.mjs", "path: run/reward.mjs"));
      const { code, stderr } = await replay();
      await folder.write("run/config.yaml", config);
      expect(code).to.equal(2);
      expect(stderr).to.include("VERL_CLI_CODE_IN_RUN").and.include("run/reward.mjs");
    });

    it("refuses a configuration under which the run would have had other uids, and a folder without a run", async () => {
      const { code, stderr } = await replay("trainer.seed=5");
      expect(code).to.equal(2);
      expect(stderr).to.include("VERL_TRAINER_REPLAY").and.include("trainer.seed=5");
      expect((await verl(["replay", "tokenizer"])).code).to.equal(2);
      expect((await replay("0000009999")).stderr).to.include("VERL_CLI_NOTHING_TO_REPLAY");
    });
  });

  describe("verl debug rollout", () => {
    it("samples what a run would with its first weights, and trains nothing", async () => {
      const args = RUN.filter((arg) => !arg.startsWith("trainer.rollout_data_dir"));
      const { code, stdout, stderr } = await verl(["debug", "rollout", ...args, "--steps", "2", "--output", "sampled"]);
      expect(code, stderr).to.equal(0);
      expect(stdout).to.match(/^step 1 {2}16 trajectories in .* tok\/s {2}reward [\d.]+ {2}length [\d.]+/);
      expect(stdout).to.include(folder.at("sampled", "2.jsonl"));
      const outputs = async (file: string) =>
        (await folder.read(...file.split("/")))
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as { uid: string; trajectory: { response_ids: number[] } })
          .map(({ uid, trajectory }) => [uid, trajectory.response_ids]);
      expect(await outputs("sampled/1.jsonl")).to.deep.equal(await outputs("run/rollouts/1.jsonl"));
    });

    it("prints one event a step with --json", async () => {
      const { stdout } = await verl(["debug", "rollout", ...RUN, "--json"]);
      const event = JSON.parse(stdout) as { step: number; trajectories: number; data: Record<string, number> };
      expect(event).to.include({ step: 1, trajectories: 16 });
      expect(event.data).to.include.keys("critic/score/mean", "response_length/mean");
    });
  });

  describe("verl debug train", () => {
    it("makes of a recorded step the update that the run made", async () => {
      const { code, stdout, stderr } = await verl([
        "debug",
        "train",
        ...RUN,
        "--data",
        "run/rollouts/1.jsonl",
        "--json",
      ]);
      expect(code, stderr).to.equal(0);
      const { data } = JSON.parse(stdout) as { data: Record<string, number> };
      const [, first] = await readMetrics(folder.at("run", "metrics.jsonl"));
      for (const name of ["actor/grad_norm", "actor/loss", "critic/rewards/mean", "training/sampler_gap/max"]) {
        expect(data[name], name).to.equal(first.data[name]);
      }
    });

    it("takes every step of a run, and shows how far later trajectories are from the weights", async () => {
      const { stdout } = await verl(["debug", "train", ...RUN, "--data", "run"]);
      expect(stdout.match(/^step \d {2}16 trajectories {2}reward .* grad norm .* gap /gm)).to.have.length(4);
    });

    it("names a trajectory of another model", async () => {
      const dump = await folder.read("run", "rollouts", "1.jsonl");
      await folder.write("other.jsonl", dump.replace(/"response_ids":\[\d+/, '"response_ids":[5000'));
      const { code, stderr } = await verl(["debug", "train", ...RUN, "--data", "other.jsonl"]);
      expect(code).to.equal(1);
      expect(stderr).to.include("VERL_AGENT_BAD_OUTPUT").and.include("response token 0 is 5000");
      expect(stderr).to.match(/where: trajectory 0000000000-\S+/);
    });

    it("needs token ids", async () => {
      await folder.write("texts.jsonl", '{"input": "a", "output": "b", "score": 1, "step": 1, "uid": "u1_0_0"}\n');
      const { code, stderr } = await verl(["debug", "train", ...RUN, "--data", "texts.jsonl"]);
      expect(code).to.equal(2);
      expect(stderr).to.include("VERL_TRAINER_REPLAY").and.include("no token ids");
      expect((await verl(["debug", "train", ...RUN])).stderr).to.include("--data");
    });
  });

  it("replays what the built-in engine sampled, exactly", async function () {
    this.timeout(30_000);
    await rm(folder.at("onnx"), { recursive: true, force: true });
    const overrides = ["trainer.default_local_dir=onnx", "trainer.total_training_steps=2", "trainer.save_freq=1"];
    const trained = await verl(["train", ...TOY_OVERRIDES, ...ONNX_OVERRIDES, "trainer.logger=[jsonl]", ...overrides]);
    expect(trained.code, trained.stderr).to.equal(0);
    const { code, stdout } = await verl(["replay", "onnx", "--step", "2"]);
    expect(code, stdout).to.equal(0);
    expect(stdout)
      .to.include("weights 1 (global_step_1)")
      .and.match(/sampler's log p +exact/);
    expect(await readFile(folder.at("onnx", "config.yaml"), "utf8")).to.match(/^# A whole configuration/);
  });
});
