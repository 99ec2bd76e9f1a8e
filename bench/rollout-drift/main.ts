/**
 * How far the log-probabilities of a rollout with rounded weights are from the trainer's, on the tokens that it draws.
 *
 *   npm run bench -- rollout-drift --model FILE_OR_FOLDER [--quantizations none,int8,int4] [--samples 8] [--tokens 96] [--threads 2]
 *     [--off-grid] [--json]
 *
 * KL is that of the sampler to the trainer, nats a token, by the estimator k3. With `--off-grid` every weight is moved at random by up to
 * half a step of a 4-bit grid first: the weights of a model that was published in few bits lie on such a grid, and would
 * be rounded for less than they cost elsewhere.
 */
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import { join } from "node:path";
import { loadTokenizer, RandomStream } from "../../core/data/index.js";
import { type ModelSource, openModel, writeHfFolder } from "../../core/formats/index.js";
import { type NamedTensor, packSequences } from "../../core/plugin.js";
import { createOnnxEngine } from "../../engines/onnx/engine.js";
import { createOnnxReplica } from "../../engines/onnx/rollout/replica.js";
import { commandLine, listOf, usageError, wholeNumber } from "../../test/command-line.js";
import { machine } from "../figures.js";
import { speaker } from "../progress.js";

const USAGE =
  "npm run bench -- rollout-drift --model FILE_OR_FOLDER [--quantizations none,int8,int4] [--samples 8] [--tokens 96] [--threads 2] [--off-grid] [--json]";
const { values: args } = commandLine({
  usage: USAGE,
  options: {
    model: { type: "string" },
    quantizations: { type: "string", default: "none,int8,int4" },
    samples: { type: "string", default: "8" },
    tokens: { type: "string", default: "96" },
    threads: { type: "string", default: "2" },
    "off-grid": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const path = args.model ?? usageError("Name a model.", USAGE);
const quantizations = listOf("quantizations", args.quantizations, ["none", "int8", "int4"], USAGE);
const samples = wholeNumber("samples", args.samples, 1, USAGE);
const tokens = wholeNumber("tokens", args.tokens, 1, USAGE);
const threads = wholeNumber("threads", args.threads, 1, USAGE);

const say = speaker(args);

const PROMPTS = [
  "Natalia sold clips to 48 of her friends in April, and then half as many in May. How many did she sell altogether?",
  "Explain in two sentences why the sky is blue.",
  "Write a short story about a lighthouse keeper who counts ships.",
  "Translate into French: The children are playing in the garden.",
  "List three uses of a paper clip.",
  "What is the difference between a list and a tuple in Python?",
  "A train leaves at 9:40 and arrives at 13:05. How long is the journey?",
  "Summarise the water cycle for a child of eight.",
];
const BLOCK = 32;
const STEPS = 15;
/** Sequences of one forward pass of the trainer. */
const AT_ONCE = 8;

interface Drift {
  readonly quantization: string;
  readonly tokens: number;
  readonly mean: number;
  readonly p999: number;
  readonly max: number;
  readonly kl: number;
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(os.tmpdir(), "verl-drift-"));
  try {
    const source = await openModel(path);
    const tokenizer = await loadTokenizer(source);
    const { config } = source;
    await writeHfFolder(folder, { config, tensors: weightsOf(source), tokenizerFiles: null, dtype: "f32" });
    await source.close();
    const prompts = PROMPTS.map((content) =>
      tokenizer.encodeChat([{ role: "user", content }], { addGenerationPrompt: true }),
    );
    say(`${machine()}; ${path}${args["off-grid"] ? ", weights moved off their grid" : ""}`);
    const drifts: Drift[] = [];
    for (const quantization of quantizations) {
      const drift = await measure(quantization, await sample(folder, prompts, quantization), folder);
      drifts.push(drift);
      say(
        `${quantization.padEnd(5)} difference of log-probabilities: mean ${show(drift.mean)}, 99.9 % below ${show(drift.p999)}, ` +
          `largest ${show(drift.max)}; KL ${show(drift.kl)} (${drift.tokens} tokens)`,
      );
    }
    if (args.json) console.log(JSON.stringify({ model: path, offGrid: args["off-grid"], drifts }, null, 2));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function* weightsOf(model: ModelSource): AsyncGenerator<NamedTensor> {
  const random = new RandomStream(1, "grid");
  for (const { name } of model.tensors) {
    const { data, ...tensor } = await model.readTensor(name);
    if (args["off-grid"] && tensor.shape.length === 2) moveOffGrid(data, random);
    yield { ...tensor, data };
  }
}

function moveOffGrid(weights: Float32Array, random: RandomStream): void {
  for (let at = 0; at < weights.length; at += BLOCK) {
    const block = weights.subarray(at, at + BLOCK);
    const step = (Math.max(...block) - Math.min(...block)) / STEPS;
    block.forEach((value, i) => {
      block[i] = value + step * (random.next() - 0.5);
    });
  }
}

interface Sample {
  readonly promptIds: readonly number[];
  readonly responseIds: readonly number[];
  readonly logProbs: readonly number[];
}

async function sample(folder: string, prompts: readonly number[][], quantization: string): Promise<Sample[]> {
  const replica = createOnnxReplica({
    replicaRank: 0,
    model: { path: folder },
    maxModelLen: Math.max(...prompts.map(({ length }) => length)) + tokens,
    maxNumSeqs: 32,
    responseLength: tokens,
    eosTokenIds: [],
    createDecoder: null,
    threads,
    quantization: quantization === "none" ? null : quantization,
    extra: {},
  });
  try {
    await replica.launch();
    const sampling = { temperature: 1, topP: 1, topK: -1, maxTokens: tokens, logProbs: true };
    const requests = prompts.flatMap((promptIds, p) =>
      Array.from({ length: samples }, async (_, i) => {
        const output = await replica.generate({ requestId: `${p}/${i}`, promptIds, seed: 1, sampling });
        return { promptIds, responseIds: output.tokenIds, logProbs: output.logProbs ?? [] };
      }),
    );
    return await Promise.all(requests);
  } finally {
    await replica.dispose();
  }
}

async function measure(quantization: string, drawn: readonly Sample[], folder: string): Promise<Drift> {
  const engine = createOnnxEngine({
    model: { path: folder },
    optimizer: null,
    topology: { rank: 0, size: 1, isOutputSource: true },
    threads,
    seed: 1,
    extra: {},
  });
  try {
    await engine.initialize();
    await using _mode = await engine.evalMode();
    const gaps: number[] = [];
    for (let at = 0; at < drawn.length; at += AT_ONCE) {
      const part = drawn.slice(at, at + AT_ONCE);
      const { logProb } = await engine.inferBatch(packSequences(part), ["logProb"]);
      const sampled = part.flatMap(({ logProbs }) => logProbs);
      gaps.push(...sampled.map((value, i) => (logProb as Float32Array)[i] - value));
    }
    const sizes = gaps.map(Math.abs).sort((x, y) => x - y);
    return {
      quantization,
      tokens: gaps.length,
      mean: sizes.reduce((sum, x) => sum + x, 0) / sizes.length,
      p999: sizes[Math.ceil(0.999 * sizes.length) - 1],
      max: sizes[sizes.length - 1],
      kl: gaps.reduce((sum, l) => sum + Math.expm1(l) - l, 0) / gaps.length,
    };
  } finally {
    await engine.dispose();
  }
}

const show = (value: number) => (value < 1e-3 ? value.toExponential(1) : value.toFixed(4));

await main();
