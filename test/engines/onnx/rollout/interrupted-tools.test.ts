import { expect } from "chai";
import { ToolSet } from "../../../../core/agent/index.js";
import { functionTool, packSequences, type ToolParser, type ToolSession } from "../../../../core/plugin.js";
import { createLlmClient, createLoadBalancer } from "../../../../core/rollout/index.js";
import { createOnnxEngine } from "../../../../engines/onnx/engine.js";
import { harness, task, tokenizer } from "../../../core/agent/harness.js";
import { request, tinyConfig, withOnnxReplica } from "./tiny-model.js";

const config = { ...tinyConfig, vocab_size: tokenizer.vocabSize };
const LENGTHS = { promptLength: 300, responseLength: 200 };
/** A turn that ends with one of these letters is a call. */
const LETTERS = ["a", "e", "i"];

const calling: ToolParser = {
  name: "letters",
  stopTokens: LETTERS,
  create() {
    let last = "";
    return {
      push(text) {
        last = text.at(-1) ?? last;
        return [];
      },
      end: () => (LETTERS.includes(last) ? [{ type: "call", call: { name: "count", arguments: "{}" } }] : []),
    };
  },
};

function engineOf(version: number) {
  const topology = { rank: 0, size: 1, isOutputSource: true };
  const options = { optimizer: null, topology, threads: 1, seed: 1, extra: {} };
  return createOnnxEngine({ model: { config, initSeed: version }, ...options });
}

interface Stored {
  readonly promptIds: Int32Array;
  readonly responseIds: Int32Array;
  readonly responseMask: Int32Array;
  readonly rolloutLogProbs: Float32Array;
  readonly weightVersions: readonly { start: number; end: number; version: number }[];
  readonly metrics: Readonly<Record<string, number>>;
}

describe("onnx rollout: trajectories with tools that weight updates interrupt", () => {
  it("keep the log-probabilities of the weights that drew each token, and the tool's state; no call is made twice", async function () {
    this.timeout(60_000);
    const engines = [1, 2, 3, 4].map(engineOf);
    await using _engines = {
      [Symbol.asyncDispose]: async () => void (await Promise.all(engines.map((e) => e.dispose()))),
    };
    for (const engine of engines) await engine.initialize();

    const calls: string[] = [];
    const count = functionTool(
      async (_: unknown, { session }: { session: ToolSession }) => {
        const before = Number(session.state.get("calls") ?? 0);
        // Updates fall into calls, too.
        for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
        session.state.set("calls", before + 1);
        calls.push(`${session.trajectoryId} ${before + 1}`);
        return `call ${before + 1}`;
      },
      { name: "count", description: "Counts.", parameters: { type: "object" } },
    );

    const rows = await withOnnxReplica(
      { model: { config }, maxModelLen: 512, responseLength: LENGTHS.responseLength, eosTokenIds: [1] },
      async (replica) => {
        await replica.receiveWeights(engines[0].getPerTensorParam(), { version: 1 });
        const balancer = createLoadBalancer();
        balancer.add(replica);
        const run = harness({
          rollout: { n: 2, top_p: 1, prompt_length: LENGTHS.promptLength, response_length: LENGTHS.responseLength },
          agent: { default_agent_loop: "partial_tool_agent" },
          over: {
            client: createLlmClient({ balancer, ...LENGTHS }),
            tools: await ToolSet.of([count]),
            toolParser: calling,
          },
        });
        await run.submit([task("a"), task("b", { draw: 1 }), task("c", { draw: 2 })]);
        for (const [i, engine] of engines.slice(1).entries()) {
          // What ends a request of its own says how far the others are.
          await replica.generate(request(`clock${i}`, { maxTokens: 25 }));
          await replica.abortAll();
          await replica.receiveWeights(engine.getPerTensorParam(), { version: i + 2 });
          await replica.resumeGeneration();
        }
        await run.manager.drain();
        return Object.entries((await run.rows()) as unknown as Record<string, Stored>);
      },
      null,
    );

    expect(rows).to.have.length(6);
    expect(rows.some(([, { metrics }]) => metrics.interruptions > 1)).to.equal(true);
    const expected = rows.flatMap(([key, { metrics }]) =>
      Array.from({ length: metrics["tool/ok"] ?? 0 }, (_, i) => `${key.replace(/_0$/, "")} ${i + 1}`),
    );
    expect(expected).to.not.have.length(0);
    expect(calls.toSorted()).to.deep.equal(expected.toSorted());

    const seen = new Set<number>();
    for (const [key, row] of rows) {
      const { promptIds, responseIds, responseMask, rolloutLogProbs, weightVersions } = row;
      const versions = new Int32Array(responseIds.length);
      for (const { start, end, version } of weightVersions) versions.fill(version, start, end);
      expect(
        [...versions].map(Number).map((v) => (v > 0 ? 1 : 0)),
        key,
      ).to.deep.equal([...responseMask]);
      for (const version of new Set(versions)) {
        if (version === 0) continue;
        seen.add(version);
        const engine = engines[version - 1];
        const sequence = { promptIds: [...promptIds], responseIds: [...responseIds] };
        await using _mode = await engine.evalMode();
        const { logProb } = await engine.inferBatch(packSequences([sequence], { temperature: 1 }), ["logProb"]);
        for (const [t, own] of versions.entries()) {
          if (own === version)
            expect(rolloutLogProbs[t], `${key}, token ${t}`).to.be.closeTo((logProb as Float32Array)[t], 1e-4);
        }
      }
    }
    expect([...seen].sort()).to.deep.equal([1, 2, 3, 4]);
  });
});
