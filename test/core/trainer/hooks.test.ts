import { writeFile } from "node:fs/promises";
import { expect } from "chai";
import type { Hooks, SampledGroup } from "../../../core/plugin.js";
import { recordingEngine, recordingHooks, recordingRollout } from "./support/events.js";
import { ToyFolder } from "./support/toy-run.js";
import { scriptedLoop, trajectory } from "./support/trajectory.js";

describe("core/trainer hooks", () => {
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const runWith = (hooks: Hooks, overrides: readonly string[] = []) =>
    folder.train({ overrides, register: (host) => host.hooks.register(hooks) });
  const failWith = (hooks: Hooks, overrides: readonly string[] = []) =>
    folder.fail({ overrides, register: (host) => host.hooks.register(hooks) });

  it("run in the reference's order around the trainer's own work, saving before the weights are pushed", async () => {
    const events: string[] = [];
    await writeFile(
      folder.at("callback.mjs"),
      "export const checkpointCallback = { onSave: (s) => globalThis.noted.push(`onSave ${s.globalStep}`) };",
    );
    (globalThis as { noted?: string[] }).noted = events;
    await folder.train({
      overrides: [
        "data.val_files=[val.jsonl]",
        "trainer.total_training_steps=2",
        "trainer.test_freq=2",
        "trainer.save_freq=1",
        "trainer.checkpoint_callback_class=callback.mjs",
        "actor_rollout_ref.actor.strategy=noted",
        "actor_rollout_ref.rollout.name=noted",
      ],
      register(host) {
        host.hooks.register(recordingHooks(events));
        host.engines.register(recordingEngine(events));
        const { rollout, adapter } = recordingRollout(events);
        host.rollouts.register(rollout);
        host.serverAdapters.register(adapter);
      },
    });
    const around = (hook: string, step: number, ...own: string[]) => [
      `${hook}.pre ${step}`,
      ...own,
      `${hook}.post ${step}`,
    ];
    const step = (k: number) => [
      ...around("onStepBegin", k),
      ...around("onSampleBegin", k),
      ...around("onSampleEnd", k, "sleep"),
      "forward",
      ...["forward", "backward", "step"],
      // Whether the model is still one that is worth to be saved.
      "forward",
      "save",
      `onSave ${k}`,
      ...around("onStepEnd", k, `weights ${k}`, "wakeUp"),
    ];
    expect(events).to.deep.equal([
      "load",
      ...around("onInitEnd", 0, "weights 0"),
      ...around("onValidateBegin", 0),
      ...around("onValidateEnd", 0),
      ...around("onTrainBegin", 0),
      ...step(1),
      ...step(2),
      ...around("onValidateBegin", 2),
      ...around("onValidateEnd", 2),
      ...around("onTrainEnd", 2),
      // Taking the server down.
      "sleep",
    ]);
  });

  it("see the version that the servers hold: r after onInitEnd, k after onStepEnd of step k", async () => {
    const versions: number[] = [];
    const note = ({ weightVersion }: { weightVersion: number }) => void versions.push(weightVersion);
    await runWith({ name: "versions", onInitEnd: { pre: note, post: note }, onStepEnd: { pre: note, post: note } });
    expect(versions).to.deep.equal([-1, 0, 0, 1, 1, 2, 2, 3]);
  });

  it("end the run with hook and plugin named when they throw", async () => {
    const { error, tracker } = await failWith({
      name: "careless",
      onStepEnd({ globalStep }) {
        if (globalStep === 2) throw new Error("no such table");
      },
    });
    expect(error.code).to.equal("VERL_HOOK_FAILED");
    expect(error.message)
      .to.include("onStepEnd")
      .and.include("careless")
      .and.include("test")
      .and.include("no such table");
    expect(tracker.outcomes).to.have.length(1);
    expect(tracker.outcomes[0]).to.include({ exitCode: 1, error });
  });

  it("end the run with hook and plugin named when they hang", async () => {
    const { error } = await failWith({ name: "sleepy", onStepBegin: () => new Promise(() => {}) }, [
      "trainer.hook_deadline_s=0.05",
    ]);
    expect(error.code).to.equal("VERL_HOOK_TIMEOUT");
    expect(error.message).to.include("onStepBegin").and.include("sleepy");
  });

  it("are told at the end how the run ended", async () => {
    const reasons: string[] = [];
    const onTrainEnd: Hooks["onTrainEnd"] = ({ reason }) => void reasons.push(reason);
    await runWith({ name: "ends", onTrainEnd });
    await runWith({ name: "ends", onTrainEnd, onStepBegin: ({ requestStop }) => requestStop("enough") }, [
      "trainer.resume_mode=disable",
    ]);
    await failWith({ name: "ends", onTrainEnd, onStepBegin: () => Promise.reject(new Error("x")) }, [
      "trainer.resume_mode=disable",
    ]);
    expect(reasons).to.deep.equal(["completed", "stopped", "failed"]);
  });

  it("may stop the run, which finishes the step and saves it", async () => {
    const { reason, globalStep } = await runWith({
      name: "stopper",
      onStepBegin({ globalStep, requestStop }) {
        if (globalStep === 2) requestStop("converged");
      },
    });
    expect({ reason, globalStep }).to.deep.equal({ reason: "stopped", globalStep: 2 });
    expect(await folder.read("run", "latest_checkpointed_iteration.txt")).to.equal("2");
  });

  it("may stop the run after the step has been decided not to be saved: it is saved all the same", async () => {
    const { globalStep } = await runWith({
      name: "stopper",
      onStepEnd({ globalStep, requestStop }) {
        if (globalStep === 1) requestStop("late");
      },
    });
    expect(globalStep).to.equal(1);
    expect(await folder.read("run", "latest_checkpointed_iteration.txt")).to.equal("1");
  });

  it("may stop the run before its first step", async () => {
    const { reason, globalStep, tracker } = await runWith({
      name: "stopper",
      onTrainBegin: ({ requestStop }) => requestStop("changed my mind"),
    });
    expect({ reason, globalStep }).to.deep.equal({ reason: "stopped", globalStep: 0 });
    expect(tracker.outcomes).to.deep.equal([{ exitCode: 0 }]);
  });

  it("read the configuration and cannot change it", async () => {
    const { error } = await failWith({
      name: "vandal",
      onTrainBegin({ config }) {
        (config as { trainer: { total_training_steps: number } }).trainer.total_training_steps = 99;
      },
    });
    expect(error.message).to.include("vandal").and.include("read only");
  });

  it("see the configuration with its secrets masked", async () => {
    let seen: unknown;
    await runWith(
      {
        name: "reader",
        onTrainBegin({ config, requestStop }) {
          seen = (config as { reward: { reward_kwargs: unknown } }).reward.reward_kwargs;
          requestStop("seen");
        },
      },
      ["+reward.reward_kwargs.api_key=hunter22", "+reward.reward_kwargs.url=http://me:pw@host/"],
    );
    expect(JSON.stringify(seen)).to.include("host").and.not.include("hunter22").and.not.include("pw@");
  });

  it("add metrics to what is logged", async () => {
    const { tracker } = await runWith(
      {
        name: "metrics",
        onStepBegin: ({ globalStep, addMetric }) => addMetric("mine/begin", globalStep),
        onStepEnd: ({ metrics, addMetric }) => addMetric("mine/copy", metrics["critic/score/mean"]),
        onValidateEnd: ({ addMetric }) => addMetric("mine/val", 7),
      },
      ["data.val_files=[val.jsonl]", "trainer.test_freq=3"],
    );
    expect(tracker.series("mine/begin")).to.deep.equal([1, 2, 3]);
    expect(tracker.series("mine/copy")).to.deep.equal(tracker.series("critic/score/mean"));
    expect(tracker.series("mine/val")).to.deep.equal([7, 7]);
  });

  it("may not log a metric twice", async () => {
    const { error } = await failWith({
      name: "twice",
      onStepBegin({ addMetric }) {
        addMetric("mine/x", 1);
        addMetric("mine/x", 2);
      },
    });
    expect(error.message).to.include("VERL_TRAINER_METRIC_EXISTS").and.include("mine/x");
  });

  it("may not take a name that the trainer logs later", async () => {
    const { error } = await failWith({
      name: "thief",
      onStepBegin: ({ addMetric }) => addMetric("critic/score/mean", 1),
    });
    expect(error.code).to.equal("VERL_TRAINER_METRIC_EXISTS");
    expect(error.what).to.include("critic/score/mean");
  });

  describe("onSampleBegin and onSampleEnd", () => {
    it("over-sample: the step keeps its size, the best or the first drawn groups are trained on", async () => {
      const seen: SampledGroup[][] = [];
      const { tracker } = await runWith(
        {
          name: "best-of-six",
          onSampleBegin({ groups, requestPrompts }) {
            expect(groups).to.equal(4);
            requestPrompts(2);
          },
          onSampleEnd({ groups, dropGroup, globalStep }) {
            seen.push([...groups]);
            if (globalStep === 1) dropGroup(groups[0].uid);
          },
        },
        ["trainer.total_training_steps=2", "trainer.rollout_data_dir=dump"],
      );
      expect(seen.map((groups) => groups.length)).to.deep.equal([6, 6]);
      const uids = async (step: number) => [
        ...new Set(
          (await folder.read("dump", `${step}.jsonl`))
            .trim()
            .split("\n")
            .map((line) => (JSON.parse(line) as { uid: string }).uid.split("_")[0]),
        ),
      ];
      expect(await uids(1)).to.deep.equal(seen[0].slice(1, 5).map(({ uid }) => uid));
      expect(await uids(2)).to.deep.equal(seen[1].slice(0, 4).map(({ uid }) => uid));
      expect(tracker.series("training/filter_groups/dropped_by_hooks")).to.deep.equal([1]);
      expect(tracker.series("training/filter_groups/discarded_surplus_samples")).to.deep.equal([1, 2]);
    });

    it("drop groups, which are replaced by new prompts", async () => {
      const rounds: (readonly SampledGroup[])[] = [];
      const { tracker } = await runWith(
        {
          name: "filter",
          onSampleEnd({ groups, dropGroup }) {
            rounds.push(groups);
            if (rounds.length === 1) for (const { uid } of groups.slice(0, 3)) dropGroup(uid, { reason: "boring" });
          },
        },
        ["trainer.total_training_steps=1"],
      );
      expect(rounds.map((groups) => groups.length)).to.deep.equal([4, 3]);
      const draws = rounds.map((groups) => groups.map(({ uid }) => Number(uid.slice(0, 10))));
      expect(draws).to.deep.equal([
        [0, 1, 2, 3],
        [4, 5, 6],
      ]);
      expect(tracker.series("training/filter_groups/dropped_by_hooks")).to.deep.equal([3]);
    });

    it("drop groups without replacement", async () => {
      let rounds = 0;
      await runWith(
        {
          name: "filter",
          onSampleEnd({ groups, dropGroup }) {
            rounds++;
            dropGroup(groups[0].uid, { refill: false });
          },
        },
        ["trainer.total_training_steps=1", "trainer.rollout_data_dir=dump"],
      );
      expect(rounds).to.equal(1);
      expect((await folder.read("dump", "1.jsonl")).trim().split("\n")).to.have.length(3 * 4);
    });

    it("never end for a hook that drops everything", async () => {
      const { error } = await failWith({
        name: "hermit",
        onSampleEnd({ groups, dropGroup }) {
          for (const { uid } of groups) dropGroup(uid);
        },
      });
      expect(error.code).to.equal("VERL_TRAINER_NO_TRAINABLE");
      expect(error.what).to.include("dropped by hooks");
    });

    it("see scores and extra values of every session, and how many sessions failed", async () => {
      const seen: SampledGroup[] = [];
      await folder.train({
        overrides: ["trainer.total_training_steps=1", "actor_rollout_ref.rollout.agent.default_agent_loop=half"],
        register(host) {
          host.hooks.register({ name: "look", onSampleEnd: ({ groups }) => void seen.push(...groups) });
          host.agentLoops.register(
            scriptedLoop("half", ({ draw, session }) =>
              draw === 2 || session === 1 ? Promise.reject(new Error("tool broke")) : trajectory({ version: 0 }),
            ),
          );
        },
      });
      expect(seen.map(({ scores }) => scores)).to.deep.equal([
        [0.25, 0.25, 0.25],
        [0.25, 0.25, 0.25],
        [],
        [0.25, 0.25, 0.25],
      ]);
      expect(seen.map(({ failedSessions }) => failedSessions)).to.deep.equal([1, 1, 4, 1]);
      expect(seen[0].extra[0]).to.deep.equal({ score: 0.25, acc: 0.25, pred: "a" });
    });
  });
});
