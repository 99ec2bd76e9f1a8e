import { readdir, readFile } from "node:fs/promises";
import { expect } from "chai";
import fc from "fast-check";
import { FAKE_PLUGIN, KILLING_PLUGIN, verl } from "../support/child.js";
import { reproducibleLines } from "../support/compare.js";
import { ToyFolder } from "../support/toy-run.js";
import { ONNX_OVERRIDES, TOY_OVERRIDES } from "../support/toy-task.js";

/** Six steps with everything that has a state: passes, mini-batches, an adaptive controller, a schedule, rotation. */
const RUN = [
  "data.val_files=[val.jsonl]",
  "trainer.total_training_steps=6",
  "trainer.save_freq=1",
  "trainer.test_freq=2",
  "trainer.max_actor_ckpt_to_keep=1",
  "trainer.logger=[jsonl]",
  "algorithm.use_kl_in_reward=true",
  "algorithm.kl_ctrl.type=adaptive",
  "algorithm.kl_ctrl.horizon=160",
  "actor_rollout_ref.actor.ppo_mini_batch_size=2",
  "actor_rollout_ref.actor.shuffle=true",
  "actor_rollout_ref.actor.optim.lr_scheduler_type=cosine",
];

type Result = Record<string, unknown>;

/** A whole run, and what is left of it after a series of kills and a last, undisturbed process. */
async function killed(
  overrides: readonly string[],
  moments: readonly number[],
  result: (folder: ToyFolder) => Promise<Result>,
): Promise<Result> {
  await using folder = await ToyFolder.create();
  const run = (at: number | null) =>
    verl(["train", ...TOY_OVERRIDES, ...overrides], {
      cwd: folder.dir,
      env: {
        VERL_USE_EXTERNAL_MODULES: `${FAKE_PLUGIN},${KILLING_PLUGIN}`,
        ...(at === null ? {} : { TOY_KILL_AT: String(at) }),
      },
    });
  for (const [i, at] of [...moments, null].entries()) {
    const { code, signal, stderr } = await run(at);
    expect(i > 0 || code === null, "the first moment lies within the run").to.equal(true);
    // Killed after its last step was logged, a run has nothing left to do, and says so.
    const ended = code === 0 || stderr.includes("VERL_TRAINER_FINISHED");
    if (ended) return { ...(await result(folder)), files: (await readdir(folder.at("run"))).sort() };
    expect(at, stderr).to.not.equal(null);
    expect(signal, stderr).to.equal("SIGKILL");
  }
  throw new Error("the last process ended the run");
}

async function whole(overrides: readonly string[], result: (folder: ToyFolder) => Promise<Result>): Promise<Result> {
  await using folder = await ToyFolder.create();
  await folder.train({ overrides });
  return { ...(await result(folder)), files: (await readdir(folder.at("run"))).sort() };
}

describe("core/trainer: a run killed at any moment and resumed", function () {
  this.timeout(240_000);

  it("has the weights and metrics of the run that was never killed, bit for bit", async () => {
    const result = async (folder: ToyFolder) => ({
      lines: reproducibleLines(await folder.read("run", "metrics.jsonl")),
      weights: await folder.read("run", "global_step_6", "actor", "table.json"),
      optimizer: await folder.read("run", "global_step_6", "actor", "table-optimizer.json"),
    });
    const expected = await whole(RUN, result);
    const moments = fc.array(fc.integer({ min: 20, max: 160 }), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(moments, async (at) => {
        expect(await killed(RUN, at, result)).to.deep.equal(expected);
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });

  it("so it has with onnxruntime, on one thread and on two", async () => {
    const result = async (folder: ToyFolder) => ({
      lines: reproducibleLines(await folder.read("run", "metrics.jsonl")),
      ...Object.fromEntries(
        await Promise.all(
          ["model", "optimizer"].map(async (name) => [
            name,
            await readFile(folder.at("run", "global_step_3", "actor", `${name}.safetensors`), "hex"),
          ]),
        ),
      ),
    });
    await Promise.all(
      [1, 2].map(async (threads) => {
        const run = [
          ...ONNX_OVERRIDES,
          `trainer.threads=${threads}`,
          "trainer.total_training_steps=3",
          "trainer.save_freq=1",
          "trainer.logger=[jsonl]",
          "actor_rollout_ref.actor.ppo_mini_batch_size=2",
        ];
        expect(await killed(run, [threads === 1 ? 75 : 100], result)).to.deep.equal(await whole(run, result));
      }),
    );
  });
});
