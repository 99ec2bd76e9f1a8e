import assert from "node:assert/strict";
import { MEDIA_KINDS } from "../../core/data/index.js";
import { isVerlError } from "../../core/host/index.js";
import type { GenerateRequest } from "../../core/rollout/index.js";
import type { ConformanceCase } from "../case.js";
import { ask, type RolloutUnderTest, spell, variedRequests, withReplica } from "./rollout-under-test.js";

/** Rejections must be coded; returns a matcher for `assert.rejects`. */
export function withCode(...codes: string[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(isVerlError(error), `expected a coded error, got ${String(error)}`);
    assert.ok(codes.includes(error.code), `expected ${codes.join(" or ")}, got ${error.code}`);
    return true;
  };
}

/** Budgets, stops, log-probabilities, determinism, bad requests. */
export function generationCases(make: () => RolloutUnderTest): ConformanceCase[] {
  return [
    {
      name: "draws as many tokens as the budget allows",
      run: () =>
        withReplica(make(), {}, async ({ replica }) => {
          for (const maxTokens of [1, 2, 9]) {
            const { tokenIds, stopReason } = await replica.generate(ask("budget", { maxTokens }));
            assert.equal(tokenIds.length, maxTokens);
            assert.equal(stopReason, "length");
          }
          const byDefault = await replica.generate(ask("budget"));
          assert.equal(byDefault.tokenIds.length, 12, "without maxTokens the response length of the options holds");
        }),
    },
    {
      name: "cuts the budget to what the context has left",
      run: () =>
        withReplica(make(), { maxModelLen: 8 }, async ({ replica }) => {
          const { tokenIds, stopReason } = await replica.generate(
            ask("room", { promptIds: [1, 2, 3], maxTokens: 100 }),
          );
          assert.equal(tokenIds.length, 5);
          assert.equal(stopReason, "length");
        }),
    },
    {
      name: "refuses media of a kind that it does not take",
      run: () =>
        withReplica(make(), {}, async ({ replica }) => {
          const kind = MEDIA_KINDS.find((one) => !replica.capabilities.media?.includes(one));
          if (kind === undefined) return;
          const medium = { kind, id: "0".repeat(64), mimeType: `${kind}/x`, byteLength: 1, offset: 0, length: 1 };
          await assert.rejects(
            replica.generate({ ...ask("media"), media: [medium] }),
            withCode("VERL_ROLLOUT_NO_MEDIA"),
          );
        }),
    },
    {
      name: "ends at an end-of-sequence token, which stays in the output, unless told to ignore it",
      run: async () => {
        const free = await alone(make(), ask("eos"), []);
        const eos = free.tokenIds[4];
        const cut = free.tokenIds.indexOf(eos) + 1;
        const stopped = await alone(make(), ask("eos"), [eos]);
        assert.deepEqual(stopped.tokenIds, free.tokenIds.slice(0, cut));
        assert.equal(stopped.stopReason, "stop");
        const ignored = await alone(make(), ask("eos", { ignoreEos: true }), [eos]);
        assert.deepEqual(ignored.tokenIds, free.tokenIds);
        const byRequest = await alone(make(), ask("eos", { ignoreEos: true, stopTokenIds: [eos] }), []);
        assert.deepEqual(byRequest.tokenIds, stopped.tokenIds);
      },
    },
    {
      name: "reports `length` when the last allowed token is also a stop token",
      run: async () => {
        const free = await alone(make(), ask("tie"), []);
        const last = free.tokenIds.indexOf(free.tokenIds[4]);
        const tied = await alone(make(), ask("tie", { maxTokens: last + 1 }), [free.tokenIds[4]]);
        assert.deepEqual(tied.tokenIds, free.tokenIds.slice(0, last + 1));
        assert.equal(tied.stopReason, "length");
      },
    },
    {
      name: "ends at a stop text that lies across tokens, and keeps the token that completes it",
      run: () =>
        withReplica(make(), {}, async ({ replica }) => {
          const free = await replica.generate(ask("text"));
          const stop = `${spell(free.tokenIds.slice(3, 4)).slice(1)}${spell(free.tokenIds.slice(4, 5)).slice(0, -1)}`;
          let end = 1;
          while (!spell(free.tokenIds.slice(0, end)).includes(stop)) end++;
          const stopped = await replica.generate(ask("text", { stop: ["never", stop] }));
          assert.deepEqual(stopped.tokenIds, free.tokenIds.slice(0, end));
          assert.equal(stopped.stopReason, "stop");
        }),
    },
    {
      name: "gives both log-probabilities of every token, when asked",
      run: () =>
        withReplica(make(), {}, async ({ replica }) => {
          const plain = await replica.generate(ask("logs"));
          assert.equal(plain.logProbs?.length, plain.tokenIds.length);
          assert.deepEqual(plain.sampledLogProbs, plain.logProbs, "nothing truncates: both are the same");
          assert.ok(plain.logProbs?.every((x) => x < 0 && Number.isFinite(x)));
          const certain = await replica.generate(ask("logs", { topK: 1 }));
          assert.ok(
            certain.sampledLogProbs?.every((x) => x === 0),
            "one token is left: it is certain",
          );
          assert.ok(
            certain.logProbs?.every((x) => x < 0),
            "the trainer's distribution is not truncated",
          );
          const silent = await replica.generate(ask("logs", { logProbs: false }));
          assert.equal(silent.logProbs, undefined);
          assert.deepEqual(silent.tokenIds, plain.tokenIds);
        }),
    },
    {
      name: "takes the most probable token at temperature 0, whatever the seed",
      run: () =>
        withReplica(make(), {}, async ({ replica }) => {
          const greedy = await replica.generate(ask("greedy", { temperature: 0 }));
          const other = await replica.generate({ ...ask("other", { temperature: 0 }), seed: 99 });
          assert.deepEqual(other.tokenIds, greedy.tokenIds);
          const topOne = await replica.generate(ask("top-1", { topK: 1 }));
          assert.deepEqual(topOne.tokenIds, greedy.tokenIds);
        }),
    },
    {
      name: "gives bitwise the same output alone and in company, in any order",
      run: async () => {
        const subject = make();
        const requests = variedRequests(14, subject.vocabSize);
        await withReplica(subject, { maxNumSeqs: 5 }, async ({ replica }) => {
          const alone = [];
          for (const request of requests) alone.push(await replica.generate(request));
          const order = requests.map((_, i) => (i * 5 + 3) % requests.length);
          const together = await Promise.all(order.map((i) => replica.generate(requests[i])));
          for (const [k, i] of order.entries()) assert.deepEqual(together[k], alone[i]);
          assert.equal(replica.inFlight, 0);
        });
      },
    },
    {
      name: "draws differently for other request ids and seeds",
      run: () =>
        withReplica(make(), {}, async ({ replica }) => {
          const texts = new Set<string>();
          for (const id of ["a", "b", "c", "d"]) {
            texts.add(spell((await replica.generate(ask(id))).tokenIds));
            texts.add(spell((await replica.generate({ ...ask(id), seed: 8 })).tokenIds));
          }
          assert.ok(texts.size > 1);
        }),
    },
    {
      name: "refuses bad requests with coded errors and stays usable",
      run: async () => {
        const subject = make();
        await withReplica(subject, { maxModelLen: 8, createDecoder: null }, async ({ replica }) => {
          const bad = withCode("VERL_ROLLOUT_BAD_REQUEST");
          await assert.rejects(replica.generate(ask("bad", { promptIds: [] })), bad);
          await assert.rejects(replica.generate(ask("bad", { promptIds: [1, subject.vocabSize] })), bad);
          await assert.rejects(replica.generate(ask("bad", { promptIds: [-1] })), bad);
          await assert.rejects(replica.generate(ask("bad", { maxTokens: 0 })), bad);
          await assert.rejects(replica.generate(ask("bad", { temperature: -1 })), bad);
          await assert.rejects(replica.generate(ask("bad", { topP: 0 })), bad);
          await assert.rejects(replica.generate(ask("bad", { stop: ["no tokenizer"] })), bad);
          const long = Array.from({ length: 8 }, () => 1);
          await assert.rejects(
            replica.generate(ask("bad", { promptIds: long })),
            withCode("VERL_ROLLOUT_PROMPT_TOO_LONG"),
          );
          assert.equal(replica.inFlight, 0);
          assert.equal((await replica.generate(ask("good", { maxTokens: 2 }))).tokenIds.length, 2);
        });
      },
    },
  ];
}

async function alone(subject: RolloutUnderTest, request: GenerateRequest, eosTokenIds: readonly number[]) {
  return withReplica(subject, { eosTokenIds }, ({ replica }) => replica.generate(request));
}
