import assert from "node:assert/strict";
import type { ConformanceCase } from "../case.js";
import { withCode } from "./generation-cases.js";
import { ask, type RolloutUnderTest, withReplica } from "./rollout-under-test.js";

const LONG = { maxModelLen: 512, responseLength: 500 };

/** Aborting, pausing, sleeping, waking, disposing. */
export function interruptionCases(make: () => RolloutUnderTest): ConformanceCase[] {
  return [
    {
      name: "an aborted request ends with the tokens drawn so far, and others go on",
      run: () =>
        withReplica(make(), LONG, async ({ replica }) => {
          const whole = await replica.generate(ask("cut"));
          const controller = new AbortController();
          const other = replica.generate(ask("other", { maxTokens: 40 }));
          const cut = replica.generate(ask("cut"), { signal: controller.signal });
          await other;
          controller.abort();
          const output = await cut;
          assert.equal(output.stopReason, "aborted");
          assert.ok(output.tokenIds.length < whole.tokenIds.length);
          assert.deepEqual(output.tokenIds, whole.tokenIds.slice(0, output.tokenIds.length));
          assert.equal(output.logProbs?.length, output.tokenIds.length);
          assert.equal((await other).stopReason, "length");
          assert.equal(replica.inFlight, 0);
        }),
    },
    {
      name: "a request that is aborted before it starts ends without tokens",
      run: () =>
        withReplica(make(), {}, async ({ replica }) => {
          const { tokenIds, stopReason } = await replica.generate(ask("never"), { signal: AbortSignal.abort() });
          assert.deepEqual([tokenIds.length, stopReason], [0, "aborted"]);
        }),
    },
    {
      name: "abortAll ends everything in flight, queued requests included; new requests wait for resumeGeneration",
      run: () =>
        withReplica(make(), { ...LONG, maxNumSeqs: 2 }, async ({ replica }) => {
          const flying = Array.from({ length: 5 }, (_, i) => replica.generate(ask(`flying-${i}`)));
          assert.equal(replica.inFlight, 5);
          await replica.abortAll();
          for (const { stopReason } of await Promise.all(flying)) assert.equal(stopReason, "aborted");
          let settled = false;
          const waiting = replica.generate(ask("waiting", { maxTokens: 2 })).finally(() => {
            settled = true;
          });
          await turns(20);
          assert.equal(settled, false);
          assert.equal(replica.inFlight, 1);
          await replica.resumeGeneration();
          assert.equal((await waiting).tokenIds.length, 2);
        }),
    },
    {
      name: "control calls may be repeated",
      run: () =>
        withReplica(make(), {}, async ({ replica }) => {
          await replica.launch();
          await replica.resumeGeneration();
          await replica.wakeUp();
          for (let i = 0; i < 2; i++) await replica.abortAll();
          for (let i = 0; i < 2; i++) await replica.sleep();
          for (let i = 0; i < 2; i++) await replica.releaseKvCache();
          for (let i = 0; i < 2; i++) await replica.resumeKvCache();
          for (let i = 0; i < 2; i++) await replica.wakeUp();
          await replica.clearKvCache();
          await replica.resumeGeneration();
          assert.equal((await replica.generate(ask("after", { maxTokens: 3 }))).tokenIds.length, 3);
        }),
    },
    {
      name: "refuses requests during sleep, and gives the same output after it",
      run: () =>
        withReplica(make(), {}, async ({ replica }) => {
          const before = await replica.generate(ask("nap"));
          if (!replica.capabilities.sleepLevels.includes(1)) return;
          await replica.sleep(1);
          await assert.rejects(replica.generate(ask("nap")), withCode("VERL_ROLLOUT_ASLEEP"));
          await replica.wakeUp();
          assert.deepEqual(await replica.generate(ask("nap")), before);
        }),
    },
    {
      name: "refuses requests while the cache is released",
      run: () =>
        withReplica(make(), {}, async ({ replica }) => {
          await replica.releaseKvCache();
          await assert.rejects(replica.generate(ask("dry")), withCode("VERL_ROLLOUT_ASLEEP"));
          await replica.resumeKvCache();
          assert.equal((await replica.generate(ask("dry"))).stopReason, "length");
        }),
    },
    {
      name: "lets requests in flight finish before it sleeps",
      run: () =>
        withReplica(make(), {}, async ({ replica }) => {
          const flying = replica.generate(ask("flying"));
          await replica.sleep(1);
          assert.equal((await flying).stopReason, "length");
        }),
    },
    {
      name: "keeps requests that wait for resumeGeneration through a sleep",
      run: () =>
        withReplica(make(), {}, async ({ replica, push }) => {
          await replica.abortAll();
          const waiting = replica.generate(ask("patient", { maxTokens: 4 }));
          await replica.sleep(1);
          await push(2, 2);
          await replica.wakeUp();
          await replica.resumeGeneration();
          const output = await waiting;
          assert.equal(output.tokenIds.length, 4);
          assert.equal(output.minWeightVersion, 2);
        }),
    },
    {
      name: "has an address of its own after launch",
      run: async () => {
        const subject = make();
        await withReplica(subject, {}, ({ replica: first }) =>
          withReplica(subject, { replicaRank: 1 }, async ({ replica: second }) => {
            assert.notEqual(first.address, "");
            assert.notEqual(first.address, second.address);
            assert.deepEqual([first.replicaRank, second.replicaRank], [0, 1]);
          }),
        );
      },
    },
    {
      name: "is unusable after dispose, and lets go of requests that wait",
      run: async () => {
        const subject = make();
        await withReplica(subject, {}, async ({ replica }) => {
          await replica.abortAll();
          const waiting = replica.generate(ask("left"));
          await replica.dispose();
          assert.equal((await waiting).stopReason, "aborted");
          await assert.rejects(replica.generate(ask("late")), withCode("VERL_ROLLOUT_DISPOSED"));
        });
      },
    },
  ];
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
