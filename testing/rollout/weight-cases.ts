import assert from "node:assert/strict";
import type { NamedTensor } from "../../core/data/index.js";
import type { ConformanceCase } from "../case.js";
import { withCode } from "./generation-cases.js";
import { ask, collect, type RolloutUnderTest, stream, withReplica } from "./rollout-under-test.js";

/** Updates, versions, and what happens to weights during sleep. */
export function weightCases(make: () => RolloutUnderTest): ConformanceCase[] {
  return [
    {
      name: "refuses requests before the first weights",
      run: () =>
        withReplica(
          make(),
          {},
          async ({ replica, push }) => {
            assert.equal(replica.weightVersion, -1);
            await assert.rejects(replica.generate(ask("early")), withCode("VERL_ROLLOUT_NO_WEIGHTS"));
            await push(1, 0);
            assert.equal((await replica.generate(ask("early"))).minWeightVersion, 0);
          },
          { empty: true },
        ),
    },
    {
      name: "serves the new weights under the new version after an update",
      run: () =>
        withReplica(make(), {}, async ({ replica, push }) => {
          const old = await replica.generate(ask("update"));
          assert.deepEqual([old.minWeightVersion, old.maxWeightVersion, replica.weightVersion], [1, 1, 1]);
          await push(2, 5);
          const fresh = await replica.generate(ask("update"));
          assert.deepEqual([fresh.minWeightVersion, fresh.maxWeightVersion, replica.weightVersion], [5, 5, 5]);
          assert.notDeepEqual(fresh.logProbs, old.logProbs);
          await push(1, 6);
          const again = await replica.generate(ask("update"));
          assert.deepEqual(again.logProbs, old.logProbs);
          await replica.setWeightVersion(9);
          assert.equal((await replica.generate(ask("update"))).maxWeightVersion, 9);
        }),
    },
    {
      name: "accepts tensors whose memory the producer reuses",
      run: async () => {
        const subject = make();
        const tensors = await collect(subject.weights(2));
        async function* reused(): AsyncGenerator<NamedTensor> {
          const scratch = new Float32Array(Math.max(...tensors.map((t) => t.data.length)));
          for (const tensor of tensors) {
            if (tensor.dtype !== "f32") {
              yield tensor;
              continue;
            }
            const view = scratch.subarray(0, tensor.data.length);
            view.set(tensor.data as Float32Array);
            yield { ...tensor, data: view };
            scratch.fill(Number.NaN);
          }
        }
        await withReplica(subject, {}, async ({ replica, adapter, push }) => {
          await push(2, 2);
          const expected = await replica.generate(ask("reuse"));
          await adapter.updateWeights(reused(), { version: 2 });
          assert.deepEqual(await replica.generate(ask("reuse")), expected);
        });
      },
    },
    ...Object.entries(SPOILED).map(([what, spoil]) => ({
      name: `an update with ${what} is refused and leaves the old weights in use`,
      run: async () => {
        const subject = make();
        await withReplica(subject, {}, async ({ replica, adapter, push }) => {
          const before = await replica.generate(ask("keep"));
          const tensors = spoil(await collect(subject.weights(2)));
          await assert.rejects(
            adapter.updateWeights(stream(tensors), { version: 2 }),
            withCode("VERL_ROLLOUT_BAD_WEIGHTS"),
          );
          assert.equal(replica.weightVersion, 1);
          assert.deepEqual(await replica.generate(ask("keep")), before);
          await push(2, 3);
          assert.equal((await replica.generate(ask("keep"))).minWeightVersion, 3);
        });
      },
    })),
    {
      name: "a stream that fails half-way leaves the old weights in use",
      run: async () => {
        const subject = make();
        async function* broken(): AsyncGenerator<NamedTensor> {
          for await (const tensor of subject.weights(2)) {
            yield tensor;
            throw new Error("the trainer died");
          }
        }
        await withReplica(subject, {}, async ({ replica, adapter }) => {
          const before = await replica.generate(ask("keep"));
          await assert.rejects(adapter.updateWeights(broken(), { version: 2 }), /the trainer died/);
          assert.deepEqual(await replica.generate(ask("keep")), before);
        });
      },
    },
    {
      name: "weights are dropped by sleep level 2 and come back by an update only",
      run: () =>
        withReplica(make(), {}, async ({ replica, adapter, push }) => {
          if (!replica.capabilities.sleepLevels.includes(2)) return;
          const before = await replica.generate(ask("deep"));
          await replica.sleep(2);
          await assert.rejects(replica.generate(ask("deep")), withCode("VERL_ROLLOUT_ASLEEP"));
          await replica.wakeUp();
          await assert.rejects(replica.generate(ask("deep")), withCode("VERL_ROLLOUT_NO_WEIGHTS"));
          await adapter.release();
          await adapter.resume(["weights"]);
          await push(1, 1);
          await adapter.resume(["kv_cache"]);
          assert.deepEqual(await replica.generate(ask("deep")), before);
        }),
    },
    {
      name: "takes weights while it sleeps",
      run: () =>
        withReplica(make(), {}, async ({ replica, push }) => {
          await replica.sleep(1);
          await push(2, 2);
          await replica.wakeUp();
          assert.equal((await replica.generate(ask("asleep"))).minWeightVersion, 2);
        }),
    },
  ];
}

const SPOILED: Readonly<Record<string, (tensors: readonly NamedTensor[]) => readonly NamedTensor[]>> = {
  "an unknown tensor": (tensors) => [...tensors, { ...tensors[0], name: "model.no_such.weight" }],
  "a missing tensor": (tensors) => tensors.slice(1),
  "a tensor twice": (tensors) => [...tensors, tensors[0]],
  "a tensor of another shape": ([first, ...rest]) => [
    {
      ...first,
      shape: [first.shape[0] + 1, ...first.shape.slice(1)],
      data: new Float32Array(size(first) + size(first) / first.shape[0]),
    },
    ...rest,
  ],
  "data that does not fill its shape": ([first, ...rest]) => [
    { ...first, data: first.data.subarray(1) as NamedTensor["data"] },
    ...rest,
  ],
};

const size = (tensor: NamedTensor): number => tensor.shape.reduce((n, d) => n * d, 1);
