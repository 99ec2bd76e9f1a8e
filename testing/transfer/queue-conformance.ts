import assert from "node:assert/strict";
import type { TransferQueue } from "../../core/plugin.js";
import { isVerlError } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";

export interface QueueUnderTest {
  /** A fresh, empty queue. `capacityBytes` 0 = no limit. */
  make(options: { readonly capacityBytes: number }): Promise<TransferQueue>;
}

/** What every `TransferQueue` must do. Run it with `runConformance`. */
export function transferQueueConformance({ make }: QueueUnderTest): ConformanceCase[] {
  const withQueue = (
    name: string,
    body: (queue: TransferQueue) => Promise<void>,
    capacityBytes = 0,
  ): ConformanceCase => ({
    name,
    async run() {
      const queue = await make({ capacityBytes });
      try {
        await body(queue);
      } finally {
        await queue.close();
      }
    },
  });

  return [
    withQueue("returns rows in the order of the keys and fields as they were put", async (queue) => {
      await queue.put("train", "a_0_0", { fields: { ids: Int32Array.of(1, 2), p: Float32Array.of(0.5), text: "é" } });
      await queue.put("train", "b_0_0", { fields: { ids: Int32Array.of(3), nested: { list: [1, null, "x"] } } });
      const rows = await queue.get("train", ["b_0_0", "a_0_0"]);
      assert.deepEqual(rows, [
        { ids: Int32Array.of(3), nested: { list: [1, null, "x"] } },
        { ids: Int32Array.of(1, 2), p: Float32Array.of(0.5), text: "é" },
      ]);
    }),

    withQueue("copies arrays in and out", async (queue) => {
      const ids = Int32Array.of(1, 2);
      await queue.put("train", "a_0_0", { fields: { ids } });
      ids[0] = 9;
      const [first] = await queue.get("train", ["a_0_0"]);
      assert.deepEqual(first.ids, Int32Array.of(1, 2));
      (first.ids as Int32Array)[1] = 9;
      const [second] = await queue.get("train", ["a_0_0"]);
      assert.deepEqual(second.ids, Int32Array.of(1, 2));
    }),

    withQueue("copies a view without the rest of its buffer", async (queue) => {
      await queue.put("train", "a_0_0", { fields: { ids: Int32Array.of(1, 2, 3, 4).subarray(1, 3) } });
      const [row] = await queue.get("train", ["a_0_0"]);
      assert.deepEqual(row.ids, Int32Array.of(2, 3));
    }),

    withQueue("merges fields and tags, and keeps what a write does not name", async (queue) => {
      await queue.put("train", "a", { tag: { isPrompt: true, status: "pending" } });
      await queue.put("train", "a", { tag: { status: "running" } });
      await queue.put("train", "a", { fields: { x: 1, y: 2 } });
      await queue.put("train", "a", { fields: { y: 3 } });
      assert.deepEqual(tagOf(await queue.list("train"), "a"), { isPrompt: true, status: "running" });
      assert.deepEqual(await queue.get("train", ["a"]), [{ x: 1, y: 3 }]);
    }),

    withQueue("is the same after a repeated put", async (queue) => {
      const value = { fields: { ids: Int32Array.of(1) }, tag: { status: "success" } };
      await queue.put("train", "a_0_0", value);
      const once = await queue.snapshot();
      await queue.put("train", "a_0_0", value);
      assert.deepEqual(await queue.snapshot(), once);
    }),

    withQueue("refuses a put with neither fields nor tag", (queue) =>
      rejectsWith("VERL_QUEUE_EMPTY_PUT", queue.put("train", "a", {})),
    ),

    withQueue("refuses keys that are no keys", async (queue) => {
      for (const key of ["", "a_b_0_0", "a_0", "a_x_0"]) {
        await rejectsWith("VERL_QUEUE_BAD_KEY", queue.put("train", key, { tag: {} }));
      }
    }),

    withQueue("lists keys in the order in which they came, whatever is written later", async (queue) => {
      for (const key of ["c", "a", "b"]) await queue.put("train", key, { tag: { n: 1 } });
      await queue.put("train", "a", { tag: { n: 2 } });
      assert.deepEqual(
        (await queue.list("train")).map((entry) => entry.key),
        ["c", "a", "b"],
      );
    }),

    withQueue("keeps partitions apart; an unknown one is empty", async (queue) => {
      await queue.put("train", "a", { tag: { n: 1 } });
      await queue.put("val", "a", { tag: { n: 2 } });
      assert.deepEqual(tagOf(await queue.list("train"), "a"), { n: 1 });
      assert.deepEqual(await queue.list("other"), []);
      assert.deepEqual((await queue.partitions()).sort(), ["train", "val"]);
    }),

    withQueue("leaves out fields that were not selected, and names unknown keys", async (queue) => {
      await queue.put("train", "a_0_0", { fields: { x: 1, y: 2 } });
      assert.deepEqual(await queue.get("train", ["a_0_0"], { select: ["y", "z"] }), [{ y: 2 }]);
      await rejectsWith("VERL_QUEUE_UNKNOWN_KEY", queue.get("train", ["a_0_0", "gone_0_0"]), /gone_0_0/);
      await rejectsWith("VERL_QUEUE_UNKNOWN_KEY", queue.get("nowhere", ["a_0_0"]), /nowhere/);
    }),

    withQueue("writes a batch wholly or not at all", async (queue) => {
      await queue.put("train", "b", { tag: { attempt: 2 } });
      const entries = [
        { key: "a", tag: { n: 1 } },
        { key: "b", tag: { n: 1 } },
      ];
      await rejectsWith("VERL_QUEUE_STALE_ATTEMPT", queue.putBatch("train", entries, { attempt: 1 }));
      assert.deepEqual(
        (await queue.list("train")).map((entry) => entry.key),
        ["b"],
      );
      await queue.putBatch("train", entries, { attempt: 2 });
      assert.equal((await queue.list("train")).length, 2);
    }),

    withQueue(
      "refuses late writes of an attempt that was replaced, of the prompt and of its trajectories",
      async (queue) => {
        await queue.put("train", "a", { tag: { status: "running" } }, { attempt: 1 });
        await queue.put("train", "a", { tag: { status: "pending" } }, { attempt: 2 });
        await rejectsWith(
          "VERL_QUEUE_STALE_ATTEMPT",
          queue.put("train", "a", { tag: { status: "finished" } }, { attempt: 1 }),
        );
        await rejectsWith(
          "VERL_QUEUE_STALE_ATTEMPT",
          queue.put("train", "a_0_0", { fields: { x: 1 } }, { attempt: 1 }),
        );
        await queue.put("train", "a_0_0", { fields: { x: 2 } }, { attempt: 2 });
        assert.equal(tagOf(await queue.list("train"), "a").status, "pending");
        assert.deepEqual(await queue.get("train", ["a_0_0"]), [{ x: 2 }]);
      },
    ),

    withQueue("gives a claim to one owner only", async (queue) => {
      await queue.put("train", "a", { tag: { status: "pending" } });
      const won = await Promise.all(["w1", "w2", "w3"].map((owner) => queue.claim("train", "a", owner)));
      assert.equal(won.filter(Boolean).length, 1);
      const owner = ["w1", "w2", "w3"][won.indexOf(true)];
      assert.deepEqual(tagOf(await queue.list("train"), "a"), { status: "pending", claimedBy: owner });
      assert.equal(await queue.claim("train", "a", owner), true);
      await queue.put("train", "a", { tag: { claimedBy: null } });
      assert.equal(await queue.claim("train", "a", "w4"), true);
      assert.equal(await queue.claim("train", "gone", "w4"), false);
    }),

    withQueue("clears known keys, ignores unknown ones, and counts", async (queue) => {
      await queue.put("train", "a", { tag: { n: 1 } });
      await queue.put("train", "b", { tag: { n: 1 } });
      assert.equal(await queue.clear("train", ["a", "zzz"]), 1);
      assert.equal(await queue.clear("nowhere", ["a"]), 0);
      assert.deepEqual(
        (await queue.list("train")).map((entry) => entry.key),
        ["b"],
      );
    }),

    withQueue("wakes who waits for a change, for every kind of change", async (queue) => {
      const changes: (() => Promise<unknown>)[] = [
        () => queue.put("train", "a", { tag: { n: 1 } }),
        () => queue.claim("train", "a", "w1"),
        () => queue.clear("train", ["a"]),
        () => queue.restore({ version: 1, partitions: [] }),
      ];
      for (const change of changes) {
        const since = queue.revision();
        const woken = Promise.all([queue.changed(since), queue.changed(since)]);
        await change();
        const [first, second] = await woken;
        assert.ok(first > since && second > since);
      }
      assert.equal(await queue.changed(queue.revision() - 1), queue.revision());
    }),

    withQueue("counts a revision for every key that changed", async (queue) => {
      const counted = async (change: () => Promise<unknown>) => {
        const since = queue.revision();
        await change();
        return queue.revision() - since;
      };
      const keys = ["a", "b", "c"];
      assert.ok(
        (await counted(() =>
          queue.putBatch(
            "train",
            keys.map((key) => ({ key, tag: { n: 1 } })),
          ),
        )) >= 3,
      );
      assert.ok((await counted(() => queue.clear("train", keys))) >= 3);
    }),

    withQueue("rejects a wait with the reason of its signal", async (queue) => {
      const reason = new Error("enough");
      const controller = new AbortController();
      const waiting = queue.changed(queue.revision(), { signal: controller.signal });
      controller.abort(reason);
      await assert.rejects(waiting, reason);
      await assert.rejects(queue.changed(queue.revision(), { signal: controller.signal }), reason);
      await assert.rejects(queue.put("train", "a", { tag: {} }, { signal: controller.signal }), reason);
    }),

    withQueue("restores a snapshot exactly, and snapshots share nothing with the queue", async (queue) => {
      await queue.put("train", "a", { tag: { n: 1 }, fields: { ids: Int32Array.of(1), nested: { x: [1] } } });
      await queue.put("val", "b", { tag: { n: 2 } });
      const snapshot = await queue.snapshot();
      await queue.put("train", "c", { tag: { n: 3 } });
      await queue.put("train", "a", { fields: { ids: Int32Array.of(7) } });
      const other = await make({ capacityBytes: 0 });
      for (const target of [queue, other]) {
        await target.restore(snapshot);
        assert.deepEqual(await target.snapshot(), snapshot);
      }
      await other.close();
      assert.deepEqual(
        (await queue.snapshot({ partitions: ["val"] })).partitions.map((p) => p.name),
        ["val"],
      );
    }),

    withQueue(
      "lets a put wait for room and never evicts",
      async (queue) => {
        const full = { ids: new Int32Array(180) };
        await queue.put("train", "a_0_0", { fields: full });
        let landed = false;
        const waiting = queue.put("train", "b_0_0", { fields: full }).then(() => {
          landed = true;
        });
        await queue.put("train", "a", { tag: { status: "finished" } });
        assert.equal(landed, false);
        assert.equal((await queue.get("train", ["a_0_0"])).length, 1);
        await queue.clear("train", ["a_0_0"]);
        await waiting;
        assert.deepEqual(await queue.get("train", ["b_0_0"]), [full]);
      },
      1000,
    ),

    withQueue(
      "gives a waiting put up when its signal aborts, and refuses what can never fit",
      async (queue) => {
        const reason = new Error("enough");
        const controller = new AbortController();
        await queue.put("train", "a_0_0", { fields: { ids: new Int32Array(180) } });
        const fields = { ids: new Int32Array(180) };
        const waiting = queue.put("train", "b_0_0", { fields }, { signal: controller.signal });
        controller.abort(reason);
        await assert.rejects(waiting, reason);
        const huge = { ids: new Int32Array(1000) };
        await rejectsWith("VERL_QUEUE_ROW_TOO_LARGE", queue.put("train", "c_0_0", { fields: huge }));
        assert.deepEqual(
          (await queue.list("train")).map((entry) => entry.key),
          ["a_0_0"],
        );
      },
      1000,
    ),

    withQueue("ends every wait when it is closed", async (queue) => {
      const waiting = queue.changed(queue.revision());
      const rejected = rejectsWith("VERL_QUEUE_CLOSED", waiting);
      await queue.close();
      await rejected;
      await rejectsWith("VERL_QUEUE_CLOSED", queue.put("train", "a", { tag: {} }));
    }),
  ];
}

function tagOf(entries: readonly { key: string; tag: Readonly<Record<string, unknown>> }[], key: string) {
  const entry = entries.find((candidate) => candidate.key === key);
  assert.ok(entry, `the key ${key} is listed`);
  return entry.tag;
}

async function rejectsWith(code: string, promise: Promise<unknown>, message = /(?:)/): Promise<void> {
  await assert.rejects(promise, (error: unknown) => {
    assert.ok(isVerlError(error), `a coded error, not ${String(error)}`);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  });
}
