import { expect } from "chai";
import fc from "fast-check";
import {
  builtinToolParsers,
  functionTool,
  partialSingleTurnAgent,
  partialToolAgent,
  ToolSet,
} from "../../../../core/agent/index.js";
import { createLlmClient, createLoadBalancer, tokenBudget } from "../../../../core/rollout/index.js";
import type { TokenOutput } from "../../../../core/rollout/rollout.js";
import { agentLoopConformance, createFakeReplica, runConformance, ScriptedClient } from "../../../../testing/index.js";
import { harness, task, tokenizer } from "../harness.js";

const parameters = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
const double = functionTool(({ a }) => String(2 * Number(a)), { name: "double", description: "Doubles.", parameters });
const call = '<tool_call>{"name": "double", "arguments": {"a": 21}}</tool_call>';

for (const factory of [partialSingleTurnAgent, partialToolAgent]) {
  runConformance(factory.name, agentLoopConformance({ factory }), { describe, it });
}
runConformance(
  "partial_tool_agent with a tool",
  agentLoopConformance({
    factory: partialToolAgent,
    tools: [double],
    toolParser: builtinToolParsers[0],
    answers: [call, "42"],
  }),
  { describe, it },
);

const PROMPT_LENGTH = 600;

/** A model that says these turns, and is interrupted after so many tokens of its n-th piece by the next version. */
function interrupted(turns: readonly string[], cuts: readonly number[], responseLength = 400) {
  let [piece, turn] = [0, -1];
  return new ScriptedClient((request): TokenOutput => {
    const { continues = 0 } = request;
    const maxTokens = tokenBudget(request, { promptLength: PROMPT_LENGTH, responseLength });
    if (continues === 0) turn++;
    const all = [...tokenizer.encode(turns[Math.min(turn, turns.length - 1)]), 1];
    const version = piece;
    const cut = cuts[piece++] ?? Infinity;
    const end = Math.min(all.length, continues + Math.min(cut, maxTokens));
    const ended = end === all.length ? "stop" : "aborted";
    return {
      tokenIds: all.slice(continues, end),
      logProbs: all.slice(continues, end).map((id, i) => -(turn + 1) - (continues + i) / 128 - id / 4096),
      stopReason: end - continues === maxTokens ? "length" : ended,
      minWeightVersion: version,
      maxWeightVersion: version,
    };
  });
}

interface Stored {
  readonly promptIds: Int32Array;
  readonly responseIds: Int32Array;
  readonly responseMask: Int32Array;
  readonly rolloutLogProbs: Float32Array;
  readonly numTurns: number;
  readonly stopReason: string;
  readonly minWeightVersion: number;
  readonly maxWeightVersion: number;
  readonly weightVersions: { start: number; end: number; version: number }[];
  readonly metrics: Record<string, number>;
}

async function play(loop: string, client: ScriptedClient, responseLength = 400): Promise<Stored> {
  const { manager, submit, rows, tags } = harness({
    rollout: { n: 1, prompt_length: PROMPT_LENGTH, response_length: responseLength },
    agent: { default_agent_loop: loop },
    over: { client, tools: await ToolSet.of([double]) },
  });
  await submit([task("u")]);
  await manager.drain();
  const stored = (await rows()).u_0_0 as unknown as Stored | undefined;
  expect(stored, JSON.stringify(await tags())).to.not.equal(undefined);
  return stored as Stored;
}

describe("interruptible agent loops", () => {
  it("store what an uninterrupted run stores, wherever weight updates cut it", async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 8 });
    const length = fc.integer({ min: 20, max: 130 });
    await fc.assert(
      fc.asyncProperty(
        cuts,
        length,
        fc.constantFrom("partial_tool_agent", "partial_single_turn_agent"),
        async (at, most, loop) => {
          const turns = [call, `It is 42, which is what ${call} gives`, "done"];
          const whole = await play(loop, interrupted(turns, [], most), most);
          const parts = await play(loop, interrupted(turns, at, most), most);
          for (const field of ["promptIds", "responseIds", "responseMask", "rolloutLogProbs"] as const) {
            expect(parts[field], field).to.deep.equal(whole[field]);
          }
          expect([parts.numTurns, parts.stopReason]).to.deep.equal([whole.numTurns, whole.stopReason]);
          // Exactly the sampled tokens have a version; versions never go back; the span is that of the first and the last.
          const versionOf = new Int32Array(parts.responseIds.length).fill(-1);
          for (const { start, end, version } of parts.weightVersions) versionOf.fill(version, start, end);
          const sampled = [...versionOf].filter((_, t) => parts.responseMask[t] === 1);
          expect([...versionOf].filter((_, t) => parts.responseMask[t] === 0).every((v) => v === -1)).to.equal(true);
          expect(sampled).to.deep.equal([...sampled].sort((a, b) => a - b));
          expect([sampled[0], sampled.at(-1)]).to.deep.equal([parts.minWeightVersion, parts.maxWeightVersion]);
        },
      ),
      {
        numRuns: 40,
        // The end-of-sequence token is the last that the budget allows: `length` wins, cut or whole.
        examples: [
          [[1], call.length + 1, "partial_single_turn_agent"],
          [[call.length], call.length + 1, "partial_tool_agent"],
        ],
      },
    );
  });

  it("parse a call that was split over an interruption from the whole turn", async () => {
    const client = interrupted([call, "done"], [call.indexOf('"arguments"') + 3]);
    const { metrics, weightVersions } = await play("async_partial_tool_agent", client);
    expect(metrics).to.include({ "tool/calls": 1, "tool/ok": 1, interruptions: 1 });
    expect(weightVersions.map(({ version }) => version)).to.deep.equal([0, 1, 2]);
  });

  it("keep one budget for a turn over all of its pieces", async () => {
    const client = interrupted(["x".repeat(50)], [10, 10], 30);
    const { responseIds, stopReason } = await play("partial_single_turn_agent", client, 30);
    expect([responseIds.length, stopReason]).to.deep.equal([30, "length"]);
    expect(client.requests.map(({ sampling }) => sampling.maxTokens)).to.deep.equal([undefined, 20, 10]);
  });

  it("give the same trajectories over servers that are interrupted at any time, under versions that grow", async () => {
    const table = Float32Array.from({ length: tokenizer.vocabSize ** 2 }, (_, i) => Math.sin(i * 1.7) * 2);
    async function sample(updates: number, loop: string) {
      const { vocabSize } = tokenizer;
      const replica = createFakeReplica({ vocabSize, table, maxModelLen: 80, eosTokenIds: [1] });
      await replica.launch();
      await replica.setWeightVersion(0);
      const balancer = createLoadBalancer();
      balancer.add(replica);
      const client = createLlmClient({ balancer, promptLength: 64, responseLength: 16 });
      const { manager, submit, rows } = harness({ agent: { default_agent_loop: loop }, over: { client } });
      await submit(Array.from({ length: 4 }, (_, i) => task(`p${i}`, { draw: i })));
      for (let version = 1; version <= updates; version++) {
        for (let i = 0; i < 3; i++) await new Promise<void>((resolve) => setImmediate(resolve));
        await replica.abortAll();
        await replica.setWeightVersion(version);
        await replica.resumeGeneration();
      }
      await manager.drain();
      return Object.entries(await rows()).sort(([a], [b]) => (a < b ? -1 : 1));
    }
    const tokens = (all: Awaited<ReturnType<typeof sample>>) =>
      all.map(([key, { responseIds, rolloutLogProbs, stopReason }]) => ({
        key,
        responseIds,
        rolloutLogProbs,
        stopReason,
      }));
    const whole = await sample(0, "single_turn_agent");
    const parts = await sample(6, "partial_single_turn_agent");
    expect(tokens(parts)).to.deep.equal(tokens(whole));
    expect(parts.some(([, row]) => (row.weightVersions as unknown[]).length > 1)).to.equal(true);
    // Without resuming, the same updates cut trajectories short.
    const cut = await sample(6, "single_turn_agent");
    expect(cut.some(([, { stopReason }]) => stopReason === "aborted")).to.equal(true);
  });
});
