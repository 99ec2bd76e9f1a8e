import assert from "node:assert/strict";
import type { ReplayBuffer, ReplayBufferOptions, SampleRequest, TransferQueue } from "../../core/plugin.js";
import { isVerlError } from "../../core/plugin.js";
import { InProcessQueue, promptTag, promptUid, statusTag, trajectoryKey } from "../../core/transfer/index.js";
import type { ConformanceCase } from "../case.js";

export interface ReplayBufferUnderTest {
  make(options: ReplayBufferOptions): ReplayBuffer;
}

/** What every `ReplayBuffer` must do, whatever its policy for old or failed groups. Run it with `runConformance`. */
export function replayBufferConformance({ make }: ReplayBufferUnderTest): ConformanceCase[] {
  const withBuffer = (name: string, body: (buffer: ReplayBuffer, queue: TransferQueue) => Promise<void>) => ({
    name,
    async run() {
      const queue = new InProcessQueue();
      const buffer = make({
        queue,
        trainerMode: "sync",
        maxOffPolicyThreshold: 1,
        maxOffPolicyStrategy: "drop",
        refill: null,
        samplerKwargs: {},
      });
      try {
        await body(buffer, queue);
      } finally {
        await queue.close();
      }
    },
  });

  return [
    withBuffer("waits until enough groups have ended, woken by the queue", async (buffer, queue) => {
      await dispatch(queue, [0, 1]);
      const sampled = buffer.sample(request({ groups: 2 }));
      await finish(queue, 1);
      assert.equal(await buffer.sampleableCount(1, "train"), 1);
      await finish(queue, 0);
      assert.deepEqual(uidsOf((await sampled).batch.keys), [uid(0), uid(1)]);
    }),

    withBuffer("takes the groups drawn first, rows by draw, session and index", async (buffer, queue) => {
      await dispatch(queue, [2, 0, 1]);
      await finish(queue, 2);
      await queue.put("train", trajectoryKey(uid(1), 1, 0), { fields: { n: 1 }, tag: { status: "success" } });
      await finish(queue, 1, [
        [10, 0],
        [2, 1],
        [2, 0],
      ]);
      await finish(queue, 0);
      const { batch } = await buffer.sample(request({ groups: 2 }));
      assert.equal(batch.partition, "train");
      assert.deepEqual(batch.keys, [
        trajectoryKey(uid(0), 0, 0),
        trajectoryKey(uid(1), 1, 0),
        trajectoryKey(uid(1), 2, 0),
        trajectoryKey(uid(1), 2, 1),
        trajectoryKey(uid(1), 10, 0),
      ]);
      assert.ok(batch.tags.every((tag) => tag.status === "success"));
    }),

    withBuffer("clears the chosen prompts at once and leaves trajectories and other prompts", async (buffer, queue) => {
      await dispatch(queue, [0, 1]);
      await finish(queue, 0);
      await finish(queue, 1);
      const { batch } = await buffer.sample(request({ groups: 1 }));
      const left = (await queue.list("train")).map((entry) => entry.key).sort();
      assert.deepEqual(left, [trajectoryKey(uid(0), 0, 0), uid(1), trajectoryKey(uid(1), 0, 0)]);
      assert.equal((await queue.get("train", batch.keys)).length, 1);
      assert.equal(await buffer.sampleableCount(1, "train"), 1);
    }),

    withBuffer("samples the validation partition on its own", async (buffer, queue) => {
      await dispatch(queue, [0]);
      await dispatch(queue, [0], "val");
      await finish(queue, 0, [[0, 0]], "val");
      const { batch } = await buffer.sample(request({ groups: 1, partition: "val" }));
      assert.equal(batch.partition, "val");
      assert.deepEqual(batch.keys, [trajectoryKey(uid(0), 0, 0)]);
      assert.equal(await buffer.sampleableCount(1, "train"), 0);
    }),

    withBuffer("names who is stuck when the deadline passes", async (buffer, queue) => {
      await dispatch(queue, [0, 1, 2]);
      await finish(queue, 0);
      await queue.put("train", uid(1), { tag: statusTag("running", "waiting for a tool") });
      await rejectsWith("VERL_REPLAY_TIMEOUT", buffer.sample(request({ groups: 3, deadlineMs: 5 })), (message) => {
        assert.match(message, new RegExp(`${uid(1)}.*running.*waiting for a tool`));
        assert.match(message, new RegExp(`${uid(2)}.*pending`));
        assert.ok(!message.includes(uid(0)), "an ended group is not stuck");
      });
    }),

    withBuffer("rejects with the reason of its signal", async (buffer, queue) => {
      await dispatch(queue, [0]);
      const reason = new Error("enough");
      const controller = new AbortController();
      const sampled = buffer.sample(request({ groups: 1, signal: controller.signal }));
      controller.abort(reason);
      await assert.rejects(sampled, reason);
    }),

    withBuffer("refuses a status that is none", async (buffer, queue) => {
      await dispatch(queue, [0]);
      await queue.put("train", uid(0), { tag: { status: "done" } });
      await rejectsWith("VERL_REPLAY_BAD_TAG", buffer.sample(request({ groups: 1 })), (message) => {
        assert.match(message, /done/);
      });
    }),
  ];
}

function uid(draw: number): string {
  return promptUid(7, draw);
}

function request(changes: Partial<SampleRequest> & { groups: number }): SampleRequest {
  return { globalStep: 1, partition: "train", deadlineMs: 60_000, ...changes };
}

async function dispatch(queue: TransferQueue, draws: readonly number[], partition = "train"): Promise<void> {
  for (const draw of draws) {
    await queue.put(partition, uid(draw), { tag: promptTag({ globalSteps: 1, draw, attempt: 1 }) });
  }
}

async function finish(
  queue: TransferQueue,
  draw: number,
  outputs: readonly (readonly [session: number, index: number])[] = [[0, 0]],
  partition = "train",
): Promise<void> {
  for (const [session, index] of outputs) {
    const key = trajectoryKey(uid(draw), session, index);
    await queue.put(partition, key, { fields: { n: index }, tag: { status: "success" } });
  }
  await queue.put(partition, uid(draw), { tag: statusTag("finished") });
}

function uidsOf(keys: readonly string[]): string[] {
  return keys.map((key) => key.split("_")[0]);
}

async function rejectsWith(code: string, promise: Promise<unknown>, check: (message: string) => void): Promise<void> {
  await assert.rejects(promise, (error: unknown) => {
    assert.ok(isVerlError(error), `a coded error, not ${String(error)}`);
    assert.equal(error.code, code);
    check(error.message);
    return true;
  });
}
