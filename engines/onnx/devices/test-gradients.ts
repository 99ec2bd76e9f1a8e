import { type EngineOptions, type LossFunction, packSequences, type SequenceBatch } from "../../../core/plugin.js";
import { OnnxBackend } from "../backend/onnx-backend.js";
import type { OnnxProvider } from "../engine.js";

/** Small models with either kind of norm, tied and untied, grouped heads and gated layers among them. */
const MODELS = [
  {
    model_type: "llama",
    vocab_size: 96,
    hidden_size: 32,
    intermediate_size: 48,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    rms_norm_eps: 1e-5,
    rope_theta: 10_000,
    max_position_embeddings: 64,
    tie_word_embeddings: true,
  },
  { model_type: "gpt2", vocab_size: 96, n_embd: 32, n_layer: 1, n_head: 4, n_positions: 64 },
];

const REPEATS = 3;
/** ‖difference‖ / ‖gradient‖ of a tensor. */
const TOLERANCE = 1e-4;

/**
 * Throws when gradients of small models on a provider are not those of the processor: fused and in two phases, repeated. Returns the
 * largest difference of a tensor, relative to its norm.
 */
export async function testGradients(
  provider: OnnxProvider,
  models: readonly Readonly<Record<string, unknown>>[] = MODELS,
): Promise<number> {
  let worst = 0;
  for (const config of models) {
    const [processor, device] = [new OnnxBackend(optionsOf(config)), new OnnxBackend(optionsOf(config), provider)];
    try {
      await processor.load();
      await device.load();
      for (let round = 0; round < REPEATS; round++) {
        const batch = sampleBatch(round, processor.modelInfo().vocabSize);
        for (const compute of [fused, twoPhases]) {
          const [expected, actual] = [await compute(processor, batch), await compute(device, batch)];
          worst = Math.max(worst, compareGradients(`${config.model_type}, ${compute.name}`, actual, expected));
        }
      }
    } finally {
      await device.dispose();
      await processor.dispose();
    }
  }
  return worst;
}

type Gradients = ReadonlyMap<string, Float32Array>;

async function fused(backend: OnnxBackend, batch: SequenceBatch): Promise<Gradients> {
  const tokens = batch.responseMask.length;
  const counts = { batchNumTokens: tokens, globalBatchSize: batch.size, lossScaleFactor: 1, dpSize: 1 };
  await backend.zeroGrad();
  // Twice: sums must go on where they were left.
  for (let i = 0; i < 2; i++) {
    if (!(await backend.fused(batch, LOSS, counts))) throw new Error("the loss was not lowered");
  }
  return gradientsOf(backend);
}

async function twoPhases(backend: OnnxBackend, batch: SequenceBatch): Promise<Gradients> {
  await backend.zeroGrad();
  const { logProb } = await backend.forward(batch, ["logProb"]);
  await backend.backward(batch, { logProb: (logProb as Float32Array).map((x) => Math.exp(x) - 0.3) });
  return gradientsOf(backend);
}

/** −mean(exp(log p / 2)) − mean entropy / 10: depends on the whole distribution. */
const LOSS: LossFunction = {
  kind: "algebra",
  name: "device-test",
  scope: "token",
  outputs: ["logProb", "entropy"],
  columns: [],
  key: "device-test",
  build(g) {
    const gain = g.add(g.exp(g.mul(g.constant(0.5), g.output("logProb"))), g.mul(g.constant(0.1), g.output("entropy")));
    const total = g.sum(g.where(g.mask(), gain, g.constant(0)));
    return { loss: g.neg(g.div(total, g.count("batchNumTokens"))), metrics: {} };
  },
};

function optionsOf(config: Readonly<Record<string, unknown>>): EngineOptions {
  const schedule = { type: "constant", warmupSteps: 0, totalSteps: 1, minLrRatio: 0, numCycles: 0.5 } as const;
  return {
    model: { config, initSeed: 7 },
    optimizer: { name: "adamw", lr: 0, betas: [0.9, 0.99], eps: 1e-8, weightDecay: 0, clipGrad: 0, schedule },
    topology: { rank: 0, size: 1, isOutputSource: true },
    threads: 2,
    seed: 1,
    extra: {},
  };
}

/** Sequences of different lengths in which a few tokens take most places, so that scatters meet duplicates. */
function sampleBatch(round: number, vocabSize: number): SequenceBatch {
  const ids = (count: number, seed: number) =>
    Array.from({ length: count }, (_, i) => Math.floor((vocabSize - 1) / (1 + ((i * 7 + seed * 5 + round) % 31))));
  return packSequences(
    Array.from({ length: 6 }, (_, b) => ({ promptIds: ids(1 + b, b), responseIds: ids(3 + ((5 * b) % 13), b + 7) })),
  );
}

async function gradientsOf(backend: OnnxBackend): Promise<Gradients> {
  const copies = new Map<string, Float32Array>();
  for await (const { name, data } of backend.gradients()) copies.set(name, Float32Array.from(data as Float32Array));
  return copies;
}

function compareGradients(where: string, actual: Gradients, expected: Gradients): number {
  let worst = 0;
  for (const [name, wanted] of expected) {
    const found = actual.get(name) ?? new Float32Array(0);
    let [difference, norm] = [0, 0];
    for (let i = 0; i < wanted.length; i++) {
      difference += (found[i] - wanted[i]) ** 2;
      norm += wanted[i] ** 2;
    }
    if (norm === 0 && difference === 0) continue;
    const error = Math.sqrt(difference / norm);
    worst = Math.max(worst, error);
    if (!(error <= TOLERANCE)) {
      throw new Error(
        `${where}: the gradient of ${name} differs from the processor's by ${error.toPrecision(3)} of its norm`,
      );
    }
  }
  return worst;
}
