import { expect } from "chai";
import { agentLoopManager } from "../../../../core/agent/index.js";
import type { PluginHost, Row, TransferQueue } from "../../../../core/plugin.js";
import { ToyFolder } from "../support/toy-run.js";
import { VOCAB } from "../support/toy-task.js";
import { scriptedLoop, trajectory } from "../support/trajectory.js";

/** Registers a loop that answers with these trajectories. */
const registering =
  (...script: Parameters<typeof scriptedLoop>) =>
  (host: PluginHost) =>
    host.agentLoops.register(scriptedLoop(...script));

describe("core/trainer: trajectories", () => {
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  it("without a token of the policy are a coded error that says so", async () => {
    const { error } = await folder.fail({
      overrides: ["actor_rollout_ref.rollout.agent.default_agent_loop=mute"],
      register: registering("mute", () => trajectory({ version: 0, responseMask: [0, 0] })),
    });
    expect(error.code).to.equal("VERL_TRAINER_NO_TRAINABLE");
    expect(error.why).to.include("16 no token that the policy sampled");
    expect(error.where).to.include("train.jsonl:");
  });

  it("without log-probabilities are counted and left out; their tokens still count as length", async () => {
    const { metrics } = await folder.train({
      overrides: ["actor_rollout_ref.rollout.agent.default_agent_loop=texts", "trainer.total_training_steps=1"],
      register: registering("texts", ({ session }) =>
        session === 0 ? trajectory({ version: 0, responseLogProbs: null }) : trajectory({ version: 0 }),
      ),
    });
    expect(metrics).to.include({
      "training/untrainable/no_log_probs": 4,
      "training/untrainable/no_score": 0,
      "response_length/min": 2,
    });
  });

  it("that all lack log-probabilities are a coded error that says so", async () => {
    const { error } = await folder.fail({
      overrides: ["actor_rollout_ref.rollout.agent.default_agent_loop=texts"],
      register: registering("texts", () => trajectory({ version: 0, responseLogProbs: null })),
    });
    expect(error.code).to.equal("VERL_TRAINER_NO_TRAINABLE");
    expect(error.why).to.include("16 no log-probabilities");
  });

  it("of several outputs in a session all train, and only the last is scored", async () => {
    const { metrics } = await folder.train({
      overrides: ["actor_rollout_ref.rollout.agent.default_agent_loop=two", "trainer.total_training_steps=1"],
      register: registering("two", async () => [trajectory({ version: 0 }), trajectory({ version: 0 })]),
    });
    expect(metrics["perf/total_num_tokens"]).to.equal(4 * 4 * 2 * 3);
    expect(metrics["training/uniform_groups"]).to.equal(4);
  });

  it("of failed sessions are missed, which is reported and not fatal", async () => {
    const { tracker, log } = await folder.train({
      overrides: ["actor_rollout_ref.rollout.agent.default_agent_loop=shaky"],
      register: registering("shaky", ({ draw }) =>
        draw === 2 ? Promise.reject(new Error("tool broke")) : trajectory({ version: Math.floor(draw / 4) }),
      ),
    });
    expect(tracker.series("training/rollout_failure/kept_samples")).to.deep.equal([]);
    expect(tracker.series("training/rollout_failure/empty_samples")).to.deep.equal([1]);
    expect(tracker.series("perf/total_num_tokens")).to.deep.equal([3 * 12, 3 * 16, 3 * 16]);
    expect(log.filter((line) => line.includes("tool broke"))).to.have.length(1);
    expect(log.join("\n")).to.include("train.jsonl:").and.include("4 of 4 sessions failed");
  });

  it("of failed sessions are told of in full at first, then in one line a step", async () => {
    const { log } = await folder.train({
      overrides: [
        "actor_rollout_ref.rollout.agent.default_agent_loop=shaky",
        "actor_rollout_ref.rollout.agent.on_session_error=keep_group",
      ],
      register: registering("shaky", ({ draw, session }) =>
        session === 1 ? Promise.reject(new Error("tool broke")) : trajectory({ version: Math.floor(draw / 4) }),
      ),
    });
    const told = log.filter((line) => line.includes("tool broke"));
    expect(
      told.map((line) => /^warn: (step \d: 4 more of this kind, the last: )?prompt/.exec(line)?.[1]),
    ).to.deep.equal([
      ...[undefined, undefined, undefined, undefined],
      "step 2: 4 more of this kind, the last: ",
      "step 3: 4 more of this kind, the last: ",
    ]);
  });

  it("with a token beyond the model's vocabulary fail by name, and the run goes on", async () => {
    const { tracker, log } = await folder.train({
      overrides: ["actor_rollout_ref.rollout.agent.default_agent_loop=foreign"],
      register: registering("foreign", ({ draw, session }) => {
        const version = Math.floor(draw / 4);
        return trajectory(draw === 2 && session === 1 ? { version, responseIds: [2, VOCAB] } : { version });
      }),
    });
    expect(tracker.series("training/rollout_failure/kept_samples")).to.deep.equal([1]);
    const told = log.filter((line) => line.includes("no token id"));
    expect(told).to.have.length(1);
    expect(told[0])
      .to.include(`response token 1 is ${VOCAB}`)
      .and.include(`0 to ${VOCAB - 1}`)
      .and.match(/prompt 0000000002-\S+ \(\S*train\.jsonl:\d+\)/)
      .and.include("session 1")
      .and.include("agent loop foreign");
  });

  it("that a manager of one's own stores with such a token end the run, and are named", async () => {
    const { error } = await folder.fail({
      overrides: ["actor_rollout_ref.rollout.agent.agent_loop_manager_class=foreign"],
      register: (host) =>
        host.agentLoopManagers.register({
          name: "foreign",
          create: (options) =>
            agentLoopManager.create({
              ...options,
              queue: spoiling(options.queue, { promptIds: Int32Array.of(VOCAB + 5) }),
            }),
        }),
    });
    expect(error.code).to.equal("VERL_AGENT_BAD_OUTPUT");
    expect(error.what).to.include(`prompt token 0 is ${VOCAB + 5}`);
    expect(error.where).to.match(/^trajectory 0000000000-\S+_0_0, agent loop single_turn_agent, .*train\.jsonl:\d+$/);
  });

  it("that a manager of one's own stores with a medium that the run has not taken in end the run, and are named", async () => {
    const medium = { kind: "image", id: "0".repeat(64), mimeType: "image/png", byteLength: 1, offset: 0, length: 1 };
    const { error } = await folder.fail({
      overrides: ["actor_rollout_ref.rollout.agent.agent_loop_manager_class=foreign"],
      register: (host) =>
        host.agentLoopManagers.register({
          name: "foreign",
          create: (options) =>
            agentLoopManager.create({ ...options, queue: spoiling(options.queue, { multiModalData: [medium] }) }),
        }),
    });
    expect(error.code).to.equal("VERL_AGENT_BAD_OUTPUT");
    expect(error.what).to.include("names the image 00000000, which the run has not taken in");
    expect(error.where).to.match(/^trajectory 0000000000-\S+_0_0, .*train\.jsonl:\d+$/);
  });

  /** A queue whose trajectories have these fields. */
  function spoiling(queue: TransferQueue, bad: Row): TransferQueue {
    const spoilt = (fields: Row | undefined) => (fields?.promptIds ? { ...fields, ...bad } : fields);
    return new Proxy(queue, {
      get(target, name) {
        if (name !== "putBatch") {
          const member: unknown = Reflect.get(target, name);
          return typeof member === "function" ? member.bind(target) : member;
        }
        const putBatch: TransferQueue["putBatch"] = (partition, entries, options) =>
          target.putBatch(
            partition,
            entries.map((entry) => ({ ...entry, fields: spoilt(entry.fields) })),
            options,
          );
        return putBatch;
      },
    });
  }

  it("are missing altogether: the run ends and says why", async () => {
    const { error } = await folder.fail({
      overrides: ["actor_rollout_ref.rollout.agent.default_agent_loop=broken"],
      register: registering("broken", () => Promise.reject(new Error("no key for the API"))),
    });
    expect(error.code).to.equal("VERL_REPLAY_NO_TRAJECTORIES");
    expect(error.message).to.include("no key for the API");
  });

  it("are missing altogether where every session returns none: the run ends and says so", async () => {
    const { error } = await folder.fail({
      overrides: ["actor_rollout_ref.rollout.agent.default_agent_loop=silent"],
      register: (host) => host.agentLoops.register({ name: "silent", create: () => ({ run: async () => [] }) }),
    });
    expect(error.code).to.equal("VERL_REPLAY_NO_TRAJECTORIES");
    expect(error.why).to.equal("the agent loop silent returned no trajectory in 4 of 4 sessions");
  });

  const stuckLoop = () =>
    scriptedLoop("stuck", ({ draw, session }) =>
      draw === 2 && session === 0 ? new Promise(() => {}) : trajectory({ version: 0 }),
    );

  it("never end: the run does, and names who is stuck", async () => {
    const { error } = await folder.fail({
      overrides: ["actor_rollout_ref.rollout.agent.default_agent_loop=stuck", "trainer.sample_deadline_s=0.2"],
      register: (host) => host.agentLoops.register(stuckLoop()),
    });
    expect(error.code).to.equal("VERL_REPLAY_TIMEOUT");
    expect(error.message).to.include("3 of 4").and.include("0000000002-");
  });

  it("never end: a second stop aborts the run, and the trackers are finished once", async () => {
    let trainer: { stop(reason: string): void } | undefined;
    const { error, tracker } = await folder.fail({
      overrides: ["actor_rollout_ref.rollout.agent.default_agent_loop=stuck"],
      onTrainer(created) {
        trainer = created;
      },
      register(host) {
        host.agentLoops.register(stuckLoop());
        host.hooks.register({
          name: "impatient",
          onSampleBegin() {
            setTimeout(() => trainer?.stop("first"), 20);
            setTimeout(() => trainer?.stop("second"), 40);
          },
        });
      },
    });
    expect(error.code).to.equal("VERL_TRAINER_ABORTED");
    expect(error.what).to.include("second");
    expect(tracker.outcomes).to.deep.equal([{ exitCode: 1, error }]);
  });

  it("of other weights than the run pushed are refused", async () => {
    const { error } = await folder.fail({
      overrides: ["actor_rollout_ref.rollout.agent.default_agent_loop=replay"],
      register: registering("replay", () => trajectory({ version: 0 })),
    });
    expect(error.code).to.equal("VERL_TRAINER_STALE_WEIGHTS");
    expect(error.message).to.include("step 2").and.include("version 0").and.include("pushed 1");
  });

  it("that a later version finished are refused", async () => {
    const { error } = await folder.fail({
      overrides: ["actor_rollout_ref.rollout.agent.default_agent_loop=replay"],
      register: registering("replay", () => trajectory({ version: 0, maxWeightVersion: 1 })),
    });
    expect(error.code).to.equal("VERL_TRAINER_STALE_WEIGHTS");
    expect(error.message).to.include("versions 0 to 1").and.include("pushed 0");
  });

  it("without any token keep their place in lengths and leave training", async () => {
    const { metrics } = await folder.train({
      overrides: ["actor_rollout_ref.rollout.agent.default_agent_loop=terse", "trainer.total_training_steps=1"],
      register: registering("terse", ({ session }) =>
        session === 0
          ? trajectory({ version: 0, responseIds: [], responseMask: [], responseLogProbs: [] })
          : trajectory({ version: 0 }),
      ),
    });
    expect(metrics).to.include({
      "training/untrainable/no_tokens": 4,
      "response/aborted_ratio": 0.25,
      "response_length/mean": 1.5,
      "response_length_non_aborted/mean": 2,
    });
  });
});
