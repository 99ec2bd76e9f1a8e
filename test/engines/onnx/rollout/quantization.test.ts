import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { parseModelConfig, writeHfFolder } from "../../../../core/formats/index.js";
import { packSequences, type TokenOutput } from "../../../../core/plugin.js";
import { createOnnxEngine } from "../../../../engines/onnx/engine.js";
import { estimateRollout } from "../../../../engines/onnx/estimate.js";
import { checkQuantization } from "../../../../engines/onnx/rollout/quantization-check.js";
import { createOnnxReplica } from "../../../../engines/onnx/rollout/replica.js";
import { type OrtRuntime, openOrtRuntime } from "../../../../engines/onnx/runtime/index.js";
import { FAMILY_CONFIGS } from "../families/family-configs.js";
import { randomWeights, request, streamOf, tiny, tinyConfig, withOnnxReplica } from "./tiny-model.js";
import { inWaves, mixedRequests } from "./waves.js";

const QUANTIZATIONS = ["int8", "int4"];
/** Mean difference of log-probabilities of these small models, nats. */
const MEAN_GAP: Readonly<Record<string, number>> = { int8: 0.05, int4: 0.6 };

/** Why this machine refuses to sample with such weights; null where it does not. Without AVX-512 that is so for int4. */
const refusals = new Map<string, string | null>();
for (const quantization of ["int8", "int4"] as const) {
  const error = await checkQuantization(await openOrtRuntime(), quantization).catch((e: Error) => e);
  refusals.set(quantization, error ? String(error) : null);
}
const usable = QUANTIZATIONS.filter((quantization) => refusals.get(quantization) === null);

describe("onnx rollout with rounded weights", () => {
  it("samples with int8 on every machine", () => {
    expect(refusals.get("int8")).to.equal(null);
  });

  for (const quantization of QUANTIZATIONS.filter((name) => !usable.includes(name))) {
    it(`refuses before it starts what this machine computes otherwise in company: ${quantization}`, async () => {
      const error = await withOnnxReplica({ quantization }, (replica) => drawAll(replica, [[1, 2]])).catch(String);
      expect(error).to.equal(refusals.get(quantization)).and.to.include("VERL_ROLLOUT_NO_QUANTIZATION");
    });
  }

  for (const quantization of usable) {
    for (const attention of ["shared", "plain"]) {
      it(`draws bitwise the same in any company and on any number of threads: ${quantization}, ${attention}`, async () => {
        const requests = mixedRequests(33);
        const extra = { attention };
        const alone = await inWaves(requests, 1, { threads: 1, quantization, extra });
        for (const threads of [1, 2]) {
          for (const size of [2, 5, 33]) {
            const together = await inWaves(requests, size, { threads, quantization, extra });
            expect(together, `batches of ${size}, ${threads} threads`).to.deep.equal(alone);
          }
        }
      });
    }

    for (const [family, config] of Object.entries(FAMILY_CONFIGS)) {
      it(`stays near the trainer, and its log-probabilities are its own: ${quantization}, ${family}`, async () => {
        const model = parseModelConfig(config);
        const weights = randomWeights(model, 5);
        const prompts = Array.from({ length: 8 }, (_, i) => Array.from({ length: 2 + i }, (_, j) => (i * j + 5) % 61));
        const outputs = await withOnnxReplica(
          { model: { config }, quantization },
          (replica) => drawAll(replica, prompts),
          weights,
        );
        const trainer = await trainerLogProbs(config, weights, prompts, outputs);
        const gaps = outputs.flatMap(({ logProbs }) => logProbs ?? []).map((x, i) => Math.abs(x - trainer[i]));
        const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
        expect(mean).to.be.within(1e-5, MEAN_GAP[quantization]);
      });
    }

    it(`rounds the weights of every update: ${quantization}`, async () => {
      const draw = (replica: ReturnType<typeof createOnnxReplica>) => drawAll(replica, [[1, 2, 3]]);
      const fresh = await withOnnxReplica({ quantization }, draw, randomWeights(tiny, 4));
      await withOnnxReplica({ quantization }, async (replica) => {
        const before = await draw(replica);
        // Three updates: the third is written over the memory of the first.
        for (const [version, seed] of [2, 3, 4].entries()) {
          await replica.receiveWeights(streamOf(randomWeights(tiny, seed)), { version: version + 2 });
        }
        const [after] = await draw(replica);
        expect(after.logProbs).to.deep.equal(fresh[0].logProbs);
        expect(after.logProbs).not.to.deep.equal(before[0].logProbs);
      });
    });
  }

  it("draws the same through the official binding", async () => {
    const [[capi], [binding]] = await Promise.all(
      ["capi", "binding"].map((runtime) =>
        withOnnxReplica({ quantization: usable.at(-1), extra: { runtime, attention: "plain" } }, (replica) =>
          drawAll(replica, [[4, 5, 6]]),
        ),
      ),
    );
    expect(binding).to.deep.equal(capi);
  });

  it("is declared as a capability, and refused by name when it is unknown", () => {
    const make = (quantization: string | null) => createOnnxReplica({ ...OPTIONS, quantization });
    expect(make(null).capabilities.quantizations).to.deep.equal(QUANTIZATIONS);
    expect(() => make("fp8")).to.throw(/VERL_ROLLOUT_NO_QUANTIZATION[\s\S]*"fp8"[\s\S]*int8 and int4/);
  });

  it("is refused where products depend on the number of rows, or are wrong", async () => {
    const runtime = await openOrtRuntime();
    const dependent = (y: Float32Array, rows: number) => {
      if (rows === 3) y[3] += 1e-5;
    };
    const wrong = (y: Float32Array) => {
      y.set(y.map((value) => 2 * value));
    };
    for (const [harm, what] of [
      [dependent, /3 rows.*other bits/],
      [wrong, /off by \d+ %/],
    ] as const) {
      const error = await checkQuantization(harmed(runtime, harm), "int8").catch((e: Error) => e);
      expect(String(error)).to.match(/VERL_ROLLOUT_NO_QUANTIZATION/);
      expect(String(error)).to.match(what);
    }
  });

  it("needs less memory for its weights", async () => {
    const config = { ...tinyConfig, hidden_size: 256, intermediate_size: 1024, tie_word_embeddings: false };
    const weights = async (quantization: string | null) =>
      (await estimateRollout({ ...OPTIONS, model: { config }, quantization })).find(({ name }) => name === "weights")!
        .bytes;
    const [full, int8, int4] = [await weights(null), await weights("int8"), await weights("int4")];
    expect(int8 / full).to.be.within(0.25, 0.35);
    expect(int4 / full).to.be.within(0.125, 0.25);
  });
});

const OPTIONS = {
  replicaRank: 0,
  model: { config: tinyConfig },
  maxModelLen: 64,
  maxNumSeqs: 2,
  responseLength: 8,
  eosTokenIds: [],
  createDecoder: null,
  threads: 1,
  extra: {},
};

function drawAll(
  replica: ReturnType<typeof createOnnxReplica>,
  prompts: readonly (readonly number[])[],
): Promise<TokenOutput[]> {
  return Promise.all(prompts.map((promptIds, i) => replica.generate(request(`p${i}`, { promptIds, maxTokens: 20 }))));
}

async function trainerLogProbs(
  config: Readonly<Record<string, unknown>>,
  weights: ReturnType<typeof randomWeights>,
  prompts: readonly number[][],
  outputs: readonly TokenOutput[],
): Promise<Float32Array> {
  const folder = await mkdtemp(path.join(tmpdir(), "verl-quantization-"));
  await writeHfFolder(folder, {
    config: parseModelConfig(config),
    tensors: weights,
    tokenizerFiles: null,
    dtype: "f32",
  });
  const engine = createOnnxEngine({
    model: { path: folder },
    optimizer: null,
    topology: { rank: 0, size: 1, isOutputSource: true },
    threads: 1,
    seed: 1,
    extra: {},
  });
  try {
    await engine.initialize();
    await using _mode = await engine.evalMode();
    const sequences = outputs.map(({ tokenIds }, i) => ({ promptIds: prompts[i], responseIds: tokenIds }));
    return (await engine.inferBatch(packSequences(sequences), ["logProb"])).logProb as Float32Array;
  } finally {
    await engine.dispose();
    await rm(folder, { recursive: true });
  }
}

/** A runtime whose products are spoilt after the fact. */
function harmed(runtime: OrtRuntime, harm: (y: Float32Array, rows: number) => void): OrtRuntime {
  return {
    kind: runtime.kind,
    version: runtime.version,
    tensor: (dtype, dims, data) => runtime.tensor(dtype, dims, data),
    async createSession(model, options) {
      const session = await runtime.createSession(model, options);
      return {
        async run(feeds, fetches, runOptions) {
          await session.run(feeds, fetches, runOptions);
          harm(fetches.y.data as Float32Array, fetches.y.dims[0]);
        },
        release: () => session.release(),
      };
    },
  };
}
