/**
 * Time and peak memory of long sequences on the shape of SmolLM2-135M with random weights, one stage in one process.
 *
 *   node dist/bench/long/main.js --stage train|forward|prefill [--length 4096] [--layers 30] [--sequences 1] [--threads 2]
 *        [--repeats 1] [--options '{"attentionMemoryMiB":1024}']
 *
 * `train` is forward, loss and backward; `forward` the log-probabilities; `prefill` a prompt of that length and four tokens after it.
 */
import os from "node:os";
import { countsOf, sftLoss } from "../../core/algorithms/index.js";
import { RandomStream } from "../../core/data/index.js";
import { type ModelConfig, parameterSpecs, parseModelConfig } from "../../core/formats/index.js";
import { type NamedTensor, type OptimizerConfig, packSequences, selectSequences } from "../../core/plugin.js";
import { OnnxBackend } from "../../engines/onnx/backend/onnx-backend.js";
import { fillInitialWeights } from "../../engines/onnx/models/initial-weights.js";
import { createOnnxReplica } from "../../engines/onnx/rollout/replica.js";
import { commandLine, wholeNumber } from "../../test/command-line.js";

const USAGE =
  "npm run bench -- long --stage train|forward|prefill [--length 4096] [--layers 30] [--sequences 1] [--threads 2] [--repeats 1] [--options JSON]";
const { values: args } = commandLine({
  usage: USAGE,
  options: {
    stage: { type: "string", default: "train" },
    length: { type: "string", default: "4096" },
    layers: { type: "string", default: "30" },
    sequences: { type: "string", default: "1" },
    threads: { type: "string", default: "2" },
    repeats: { type: "string", default: "1" },
    options: { type: "string", default: "{}" },
  },
});
const number = (name: "length" | "layers" | "sequences" | "threads" | "repeats") =>
  wholeNumber(name, args[name], 1, USAGE);
const [length, sequences, threads, repeats] = [
  number("length"),
  number("sequences"),
  number("threads"),
  number("repeats"),
];
const extra = JSON.parse(args.options) as Record<string, unknown>;

const MODEL = {
  model_type: "llama",
  vocab_size: 49152,
  hidden_size: 576,
  intermediate_size: 1536,
  num_hidden_layers: number("layers"),
  num_attention_heads: 9,
  num_key_value_heads: 3,
  max_position_embeddings: 65536,
  rms_norm_eps: 1e-5,
  rope_theta: 1e5,
  tie_word_embeddings: true,
};

const OPTIMIZER: OptimizerConfig = {
  name: "adamw",
  lr: 1e-5,
  betas: [0.9, 0.999],
  eps: 1e-8,
  weightDecay: 0.01,
  clipGrad: 1,
  schedule: { type: "constant", warmupSteps: 0, totalSteps: 0, minLrRatio: 0, numCycles: 0.5 },
};

const GiB = 2 ** 30;
const random = new RandomStream(1, "long");
const tokens = (count: number) => Array.from({ length: count }, () => random.int(MODEL.vocab_size));

async function main(): Promise<void> {
  const cpu = os.cpus()[0]?.model ?? "unknown CPU";
  console.log(`${cpu}, ${os.cpus().length} cores, ${threads} threads, load ${os.loadavg()[0].toFixed(1)}`);
  await (args.stage === "prefill" ? prefill() : train(args.stage === "forward"));
}

async function train(forwardOnly: boolean): Promise<void> {
  const backend = new OnnxBackend({
    model: { config: MODEL, initSeed: 1 },
    optimizer: forwardOnly ? null : OPTIMIZER,
    topology: { rank: 0, size: 1, isOutputSource: true },
    threads,
    seed: 1,
    extra,
  });
  await backend.load();
  report("model loaded");
  const half = length >> 1;
  const batch = packSequences(
    Array.from({ length: sequences }, () => ({ promptIds: tokens(half), responseIds: tokens(length - half) })),
  );
  for (let i = 0; i < repeats; i++) {
    await timed(forwardOnly ? "forward" : "forward and backward", async () => {
      for (const rows of backend.partition(batch, 1)) {
        const part = selectSequences(batch, rows);
        if (forwardOnly) await backend.forward(part, ["logProb"]);
        else await backend.fused(part, sftLoss(), countsOf(part));
      }
    });
  }
  await backend.dispose();
}

async function prefill(): Promise<void> {
  const config = parseModelConfig(MODEL);
  const replica = createOnnxReplica({
    replicaRank: 0,
    model: { config: MODEL },
    maxNumSeqs: 1,
    maxModelLen: length + 64,
    responseLength: 4,
    threads,
    eosTokenIds: [],
    createDecoder: () => ({ push: () => "", pending: () => "" }),
    extra,
  });
  await replica.launch();
  await replica.receiveWeights(weights(config), { version: 1 });
  report("model loaded");
  const sampling = { temperature: 1, topP: 1, topK: -1, maxTokens: 4, logProbs: true };
  for (let i = 0; i < repeats; i++) {
    const promptIds = tokens(length);
    const { tokenIds, logProbs } = await timed("prompt and four tokens", () =>
      replica.generate({ requestId: `${i}`, promptIds, seed: 1, sampling }),
    );
    console.log(`  ${tokenIds.map((id, t) => `${id} ${logProbs?.[t].toFixed(5)}`).join(", ")}`);
  }
  await replica.dispose();
}

async function* weights(config: ModelConfig): AsyncGenerator<NamedTensor> {
  for (const spec of parameterSpecs(config)) {
    const data = new Float32Array(spec.shape.reduce((n, d) => n * d, 1));
    fillInitialWeights(config, 1, spec, data);
    yield { name: spec.name, shape: spec.shape, dtype: "f32", data };
  }
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  report(what, (performance.now() - start) / 1000);
  return result;
}

function report(what: string, seconds?: number): void {
  const { rss } = process.memoryUsage();
  const peak = process.resourceUsage().maxRSS * 1024;
  const time = seconds === undefined ? "" : `${seconds.toFixed(1)} s, `;
  console.log(`${what}: ${time}resident ${(rss / GiB).toFixed(2)} GiB, peak ${(peak / GiB).toFixed(2)} GiB`);
}

await main();
