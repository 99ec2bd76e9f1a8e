import { readdir } from "node:fs/promises";
import { expect } from "chai";
import { type ChildOptions, verl } from "../support/child.js";
import { reproducible } from "../support/compare.js";
import { isAlive, rankPids } from "../support/rank-pids.js";
import { ToyFolder } from "../support/toy-run.js";
import { ONNX_OVERRIDES, TOY_OVERRIDES } from "../support/toy-task.js";

const processes = (n: number) => `trainer.n_gpus_per_node=${n}`;
const fault = (does: string, at: number) => [
  "actor_rollout_ref.actor.strategy=faulty",
  `actor_rollout_ref.actor.engine_kwargs.faulty={rank: 1, call: backward, at: ${at}, does: ${does}}`,
];

/** Metrics of the steps of which floating-point order changes nothing, and the others. */
function compare(actual: ReturnType<typeof reproducible>, expected: ReturnType<typeof reproducible>): void {
  expect(actual).to.have.lengthOf(expected.length);
  expected.forEach(({ step, data }, i) => {
    expect(Object.keys(actual[i].data)).to.have.members(Object.keys(data));
    for (const [name, value] of Object.entries(data) as [string, number][]) {
      // How tokens lie on the processes is what the numbers of processes change.
      if (/^global_seqlen\/(?!mean)/.test(name)) continue;
      const other = actual[i].data[name] as number;
      const where = `step ${step} ${name}: ${other} instead of ${value}`;
      if (name === "global_seqlen/mean") expect(2 * other, where).to.equal(value);
      else if (/num_tokens|length|global_step|epoch|lr$|skipped/.test(name)) expect(other, where).to.equal(value);
      else expect(Math.abs(other - value) <= 1e-5 * (1 + Math.abs(value)), where).to.equal(true);
    }
  });
}

describe("core/trainer with two training processes", function () {
  this.timeout(60_000);
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const run = async (overrides: readonly string[]) => {
    await using other = await ToyFolder.create();
    const { tracker } = await other.train({ overrides });
    return reproducible(tracker);
  };

  it("logs what one process logs: same tokens, learning rates, losses and norms", async () => {
    const overrides = [
      "actor_rollout_ref.actor.ppo_mini_batch_size=2",
      "actor_rollout_ref.actor.use_kl_loss=true",
      "actor_rollout_ref.actor.optim.lr_scheduler_type=cosine",
      // A gradient that is all rounding would become a whole step of AdamW.
      "actor_rollout_ref.actor.optim.eps=0.01",
    ];
    compare(await run([...overrides, processes(2)]), await run([...overrides, processes(1)]));
  });

  it("does so with onnxruntime and a critic", async () => {
    const overrides = [...ONNX_OVERRIDES, "algorithm.adv_estimator=gae", "critic.strategy=onnx"];
    compare(await run([...overrides, processes(2)]), await run([...overrides, processes(1)]));
  });

  it("balances tokens over the processes", async () => {
    const [{ data }] = await run([processes(2), "trainer.total_training_steps=1"]);
    const { "global_seqlen/balanced_min": low, "global_seqlen/balanced_max": high } = data as Record<string, number>;
    expect(low + high).to.equal(data["perf/total_num_tokens"]);
    expect(high - low).to.be.at.most(5);
  });

  it("ends with a killed process by name, keeps whole checkpoints, and goes on with any number of processes", async () => {
    const save = ["trainer.save_freq=1", "trainer.total_training_steps=3"];
    const whole = await run([...save, processes(1), "actor_rollout_ref.actor.strategy=faulty"]);
    const { error } = await folder.fail({ overrides: [...save, processes(2), ...fault("kill", 3)] });
    expect(error.code).to.equal("VERL_ENGINE_RANK_LOST");
    expect(error.message).to.match(/rank 1 \(pid \d+\) is gone: it was ended by SIGKILL/);
    const left = await readdir(folder.at("run"));
    expect(left.filter((name) => name.includes("global_step"))).to.deep.equal(["global_step_1", "global_step_2"]);
    const resumed = await folder.train({
      overrides: [...save, processes(1), "actor_rollout_ref.actor.strategy=faulty"],
    });
    expect(resumed.log.join("\n")).to.include("resumed step 2");
    const [last] = reproducible(resumed.tracker);
    expect(last.data["actor/loss"] as number).to.be.closeTo(whole[2].data["actor/loss"] as number, 1e-4);
  });

  it("notices a process that dies while samples are drawn, and tells the hooks that the run failed", async () => {
    const events: string[] = [];
    const { error } = await folder.fail({
      overrides: [processes(2), "actor_rollout_ref.actor.strategy=faulty"],
      register: (host) =>
        host.hooks.register({
          name: "killer",
          async onSampleBegin({ signal, globalStep }) {
            if (globalStep !== 2) return;
            for (const pid of await rankPids(process.pid)) process.kill(pid, "SIGKILL");
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
          },
          onTrainEnd: ({ reason }) => void events.push(reason),
        }),
    });
    expect(error.code).to.equal("VERL_ENGINE_RANK_LOST");
    expect(events).to.deep.equal(["failed"]);
  });

  /** `verl train` on two processes of its own; `act` is called once, when its second step has begun. */
  async function command(act: (driver: number, ranks: readonly number[]) => void) {
    let acted: Promise<readonly number[]> | null = null;
    const onOutput: ChildOptions["onOutput"] = ({ stdout }, { pid = 0 }) => {
      if (!stdout.includes('"step":1')) return;
      acted ??= rankPids(pid).then((ranks) => {
        act(pid, ranks);
        return ranks;
      });
    };
    const steps = ["trainer.save_freq=100", "trainer.total_training_steps=5000"];
    const args = [...TOY_OVERRIDES, processes(2), ...steps, "trainer.logger=[console]", "--json"];
    const outcome = await verl(["train", ...args], { cwd: folder.dir, detached: true, onOutput });
    return { ...outcome, ranks: (await acted) ?? [] };
  }

  const ended = async (pids: readonly number[]) => {
    while (pids.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, 20));
  };

  it("finishes the step on a Ctrl-C that all processes get, saves, and leaves none behind", async () => {
    const { code, stderr, ranks } = await command((driver) => process.kill(-driver, "SIGINT"));
    expect(code, stderr).to.equal(130);
    expect(ranks).to.have.lengthOf(1);
    await ended(ranks);
    expect((await readdir(folder.at("run"))).some((name) => /^global_step_\d+$/.test(name))).to.equal(true);
  });

  it("leaves no process behind when it is killed itself", async () => {
    const { signal, ranks } = await command((driver) => process.kill(driver, "SIGKILL"));
    expect(signal).to.equal("SIGKILL");
    expect(ranks).to.have.lengthOf(1);
    await ended(ranks);
  });
});
