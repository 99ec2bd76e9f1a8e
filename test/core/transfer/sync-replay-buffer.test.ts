import { expect } from "chai";
import type { PromptStatus, ReplayBufferOptions, SampleRequest } from "../../../core/transfer/index.js";
import {
  InProcessQueue,
  promptTag,
  promptUid,
  SyncReplayBuffer,
  statusTag,
  syncReplayBufferFactory,
  trajectoryKey,
} from "../../../core/transfer/index.js";
import { FaultyQueue, replayBufferConformance, runConformance } from "../../../testing/index.js";
import { codedError, codedRejection } from "./support.js";

const uid = (draw: number) => promptUid(1, draw);
const request = (groups: number, changes: Partial<SampleRequest> = {}): SampleRequest => ({
  globalStep: 3,
  partition: "train",
  groups,
  deadlineMs: 60_000,
  ...changes,
});

function setUp(changes: Partial<ReplayBufferOptions> = {}) {
  const queue = new FaultyQueue(new InProcessQueue());
  const options: ReplayBufferOptions = {
    queue,
    trainerMode: "sync",
    maxOffPolicyThreshold: 1,
    maxOffPolicyStrategy: "drop",
    refill: null,
    samplerKwargs: {},
    ...changes,
  };
  const add = async (draw: number, status: PromptStatus, trajectories = 1) => {
    await queue.put("train", uid(draw), { tag: promptTag({ globalSteps: 3, draw, attempt: 1 }) });
    for (let s = 0; s < trajectories; s++) await queue.put("train", trajectoryKey(uid(draw), s, 0), { fields: { s } });
    await queue.put("train", uid(draw), { tag: statusTag(status) });
  };
  return { queue, buffer: new SyncReplayBuffer(options), add };
}

describe("core/transfer/sync-replay-buffer", () => {
  runConformance("as a ReplayBuffer", replayBufferConformance({ make: syncReplayBufferFactory.create }), {
    describe,
    it,
  });

  it("keeps failed groups with what they have, and reports the shortfall, each group once", async () => {
    const { buffer, add } = setUp();
    await add(0, "finished", 2);
    await add(1, "failure", 1);
    await add(2, "failure", 0);
    const { batch, metrics, failedGroups } = await buffer.sample(request(3));
    expect(batch.keys).to.have.length(3);
    expect(failedGroups).to.deep.equal([uid(1), uid(2)]);
    expect(metrics).to.deep.equal({
      "training/rollout_failure/kept_samples": 1,
      "training/rollout_failure/empty_samples": 1,
    });
  });

  it("has no metrics when nothing happened", async () => {
    const { buffer, add } = setUp();
    await add(0, "finished");
    expect((await buffer.sample(request(1))).metrics).to.deep.equal({});
  });

  it("replaces failed groups without trajectories when asked, and keeps those with some", async () => {
    const asked: number[] = [];
    const { buffer, queue, add } = setUp({
      syncRefillFailedGroups: true,
      refill: async (count) => {
        asked.push(count);
        await add(3, "finished");
      },
    });
    await add(0, "failure", 0);
    await add(1, "failure", 1);
    await add(2, "finished");
    expect(await buffer.sampleableCount(3, "train")).to.equal(2);
    const { batch, metrics, failedGroups } = await buffer.sample(request(3));
    expect(batch.keys).to.deep.equal([1, 2, 3].map((draw) => trajectoryKey(uid(draw), 0, 0)));
    expect(asked).to.deep.equal([1]);
    expect(failedGroups).to.deep.equal([uid(1)]);
    expect(metrics["training/rollout_failure/evicted_samples"]).to.equal(1);
    expect((await queue.list("train")).some((entry) => entry.key === uid(0))).to.equal(false);
  });

  it("asks for no replacement when enough groups are left", async () => {
    const { buffer, add } = setUp({
      syncRefillFailedGroups: true,
      refill: () => Promise.reject(new Error("must not be asked")),
    });
    await add(0, "failure", 0);
    await add(1, "finished");
    const { batch } = await buffer.sample(request(1));
    expect(batch.keys).to.deep.equal([trajectoryKey(uid(1), 0, 0)]);
  });

  it("never replaces validation prompts", async () => {
    const { buffer, queue } = setUp({
      syncRefillFailedGroups: true,
      refill: () => Promise.reject(new Error("must not be asked")),
    });
    await queue.put("val", uid(0), { tag: promptTag({ globalSteps: 3, draw: 0, attempt: 1 }) });
    await queue.put("val", uid(0), { tag: statusTag("failure") });
    const { batch, metrics } = await buffer.sample(request(1, { partition: "val" }));
    expect(batch.keys).to.deep.equal([]);
    expect(metrics).to.deep.equal({ "validation/rollout_failure/empty_samples": 1 });
  });

  it("refuses a training batch without a single trajectory, with the last event", async () => {
    const { buffer, queue, add } = setUp();
    await add(0, "failure", 0);
    await queue.put("train", uid(0), { tag: statusTag("failure", "tool server unreachable") });
    const error = await codedRejection("VERL_REPLAY_NO_TRAJECTORIES", buffer.sample(request(1)));
    expect(error.why).to.equal("tool server unreachable");
  });

  it("does not wait for prompts beyond those asked for", async () => {
    const { buffer, add } = setUp();
    await add(0, "running", 0);
    await add(1, "finished");
    expect((await buffer.sample(request(1))).batch.keys).to.deep.equal([trajectoryKey(uid(1), 0, 0)]);
  });

  it("ignores trajectories whose prompt was sampled before", async () => {
    const { buffer, queue, add } = setUp();
    await queue.put("train", trajectoryKey(uid(9), 0, 0), { fields: { s: 0 } });
    await add(0, "finished");
    expect((await buffer.sample(request(1))).batch.keys).to.deep.equal([trajectoryKey(uid(0), 0, 0)]);
  });

  it("looks at the queue only when it changed", async () => {
    const { buffer, queue, add } = setUp();
    await add(0, "running", 0);
    const sampled = buffer.sample(request(1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(queue.calls.list).to.equal(1);
    await queue.put("train", trajectoryKey(uid(0), 0, 0), { fields: { s: 0 } });
    await queue.put("train", uid(0), { tag: statusTag("finished") });
    await sampled;
    expect(queue.calls.list).to.be.at.most(3);
  });

  it("looks no more often than groups may have ended", async () => {
    const { buffer, queue, add } = setUp();
    for (let draw = 0; draw < 64; draw++) await add(draw, "running", 0);
    const sampled = buffer.sample(request(64));
    for (let draw = 0; draw < 64; draw++) {
      for (let s = 0; s < 4; s++) await queue.put("train", trajectoryKey(uid(draw), s, 0), { fields: { s } });
      await queue.put("train", uid(draw), { tag: statusTag("finished") });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await sampled).batch.keys).to.have.length(256);
    expect(queue.calls.list).to.be.lessThan(40);
  });

  it("T32: returns by its deadline where one prompt never leaves running, and says which, since when, and its last event", async () => {
    const { buffer, queue, add } = setUp();
    for (const draw of [0, 1, 2]) await add(draw, draw === 1 ? "running" : "finished");
    await queue.put("train", uid(1), { tag: statusTag("running", "session 0 waits for the inference server") });
    const error = await codedRejection("VERL_REPLAY_TIMEOUT", buffer.sample(request(3, { deadlineMs: 20 })));
    expect(error.message).to.contain(uid(1)).and.not.to.contain(uid(0));
    expect(error.data).to.deep.include({ ended: 2, wanted: 3 });
    const [stuck, ...others] = (error.data as { stuck: Record<string, unknown>[] }).stuck;
    expect(others).to.deep.equal([]);
    expect(stuck).to.include({ uid: uid(1), status: "running", lastEvent: "session 0 waits for the inference server" });
    expect(stuck.ageSeconds).to.be.a("number");
  });

  it("reports the newest state at its deadline, or the last one known if the queue does not answer", async () => {
    const { buffer, queue, add } = setUp();
    for (const draw of [0, 1, 2]) await add(draw, "running", 0);
    const timedOut = codedRejection("VERL_REPLAY_TIMEOUT", buffer.sample(request(3, { deadlineMs: 20 })));
    await queue.put("train", uid(0), { tag: statusTag("finished") });
    expect((await timedOut).data).to.deep.include({ ended: 1, wanted: 3 });
    const failing = codedRejection("VERL_REPLAY_TIMEOUT", buffer.sample(request(3, { deadlineMs: 20 })));
    await new Promise((resolve) => setImmediate(resolve));
    queue.inject({ call: "list", error: new Error("connection lost") });
    expect((await failing).data).to.deep.include({ ended: 1, wanted: 3 });
  });

  it("says how many prompts there are when none is stuck", async () => {
    const { buffer, add } = setUp();
    await add(0, "finished");
    const error = await codedRejection("VERL_REPLAY_TIMEOUT", buffer.sample(request(2, { deadlineMs: 5 })));
    expect(error.why).to.include("only 1 prompts are in the queue");
    expect(error.data).to.deep.equal({ ended: 1, wanted: 2, stuck: [] });
  });

  it("passes on a failure of the queue", async () => {
    const { buffer, queue, add } = setUp();
    await add(0, "running");
    const lost = new Error("connection lost");
    queue.inject({ call: "changed", error: lost });
    expect(await buffer.sample(request(1)).catch((error: unknown) => error)).to.equal(lost);
  });

  it("needs a refill function to refill", async () => {
    await codedError("VERL_REPLAY_CONFIG", () => setUp({ syncRefillFailedGroups: true }));
  });
});
