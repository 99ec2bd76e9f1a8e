/**
 * A model above 2 GB in float32, from its files to a trained checkpoint: times, memory and agreement of sampler and trainer.
 *
 *   node dist/bench/large-model/main.js [--folder DIR] [--stages write,sample,train,save] [--layers 28] [--tokens 64] [--threads 2]
 *        [--runtime auto|capi|binding]
 *
 * The model has the shape of Qwen3-0.6B and random weights, in bf16 and in several files. A kept folder is used again.
 */
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { countsOf, sftLoss } from "../../core/algorithms/index.js";
import { openModel, parseModelConfig, writeHfFolder } from "../../core/formats/index.js";
import { packSequences } from "../../core/plugin.js";
import { OnnxBackend } from "../../engines/onnx/backend/onnx-backend.js";
import { createOnnxReplica } from "../../engines/onnx/rollout/replica.js";
import { commandLine, listOf, wholeNumber } from "../../test/command-line.js";
import { machine } from "../figures.js";
import { timed } from "../progress.js";
import { adamW, parameterCount, randomWeights } from "../random-model.js";

const USAGE =
  "npm run bench -- large-model [--folder DIR] [--stages write,sample,train,save] [--layers 28] [--tokens 64] [--threads 2] [--runtime auto|capi|binding]";
const { values: args } = commandLine({
  usage: USAGE,
  options: {
    folder: { type: "string" },
    stages: { type: "string", default: "write,sample,train,save" },
    layers: { type: "string", default: "28" },
    tokens: { type: "string", default: "64" },
    threads: { type: "string", default: "2" },
    runtime: { type: "string", default: "auto" },
  },
});
const threads = wholeNumber("threads", args.threads, 1, USAGE);
const tokens = wholeNumber("tokens", args.tokens, 1, USAGE);
const stages = new Set(listOf("stages", args.stages, ["write", "sample", "train", "save"], USAGE));
const GENERATED = 8;

const config = parseModelConfig({
  model_type: "qwen3",
  vocab_size: 151936,
  hidden_size: 1024,
  intermediate_size: 3072,
  num_hidden_layers: wholeNumber("layers", args.layers, 1, USAGE),
  num_attention_heads: 16,
  num_key_value_heads: 8,
  head_dim: 128,
  max_position_embeddings: 40960,
  rope_theta: 1e6,
  tie_word_embeddings: true,
  torch_dtype: "bfloat16",
});

const OPTIMIZER = adamW(1e-5);

async function main(): Promise<void> {
  const parameters = parameterCount(config);
  console.log(`${machine()}, ${threads} threads`);
  console.log(`${(parameters / 1e6).toFixed(0)} M parameters, ${((4 * parameters) / 1e9).toFixed(2)} GB in float32`);
  const folder = args.folder ?? (await mkdtemp(path.join(os.tmpdir(), "verl-large-")));
  try {
    const model = path.join(folder, "model");
    if (stages.has("write")) await timed("write the model's files", () => writeModel(model));
    const sampled = stages.has("sample") ? await sample(model) : null;
    if (stages.has("train")) await train(model, folder, sampled);
  } finally {
    if (args.folder === undefined) await rm(folder, { recursive: true });
  }
}

function writeModel(folder: string): Promise<void> {
  const tensors = randomWeights(config);
  return writeHfFolder(folder, { config, tensors, tokenizerFiles: null, dtype: "bf16", maxShardBytes: 5e8 });
}

interface Sampled {
  readonly promptIds: number[];
  readonly responseIds: readonly number[];
  readonly logProbs: readonly number[];
}

async function sample(model: string): Promise<Sampled> {
  const replica = createOnnxReplica({
    replicaRank: 0,
    model: { path: model },
    maxModelLen: tokens + GENERATED,
    maxNumSeqs: 2,
    responseLength: GENERATED,
    eosTokenIds: [],
    createDecoder: () => ({ push: () => "", pending: () => "" }),
    threads,
    extra: { runtime: args.runtime },
  });
  await replica.launch();
  const promptIds = Array.from({ length: tokens - GENERATED }, (_, i) => (i * 7919) % config.vocabSize);
  const request = {
    requestId: "a",
    promptIds,
    seed: 1,
    sampling: { temperature: 1, topP: 1, topK: -1, maxTokens: GENERATED, logProbs: true },
  };
  await timed("read the weights, make the session, first prompt", () =>
    replica.generate({ ...request, sampling: { ...request.sampling, maxTokens: 1 } }),
  );
  const output = await timed(`${promptIds.length} tokens of prompt, ${GENERATED} sampled`, () =>
    replica.generate(request),
  );
  await replica.dispose();
  return { promptIds, responseIds: output.tokenIds, logProbs: output.logProbs ?? [] };
}

async function train(model: string, folder: string, sampled: Sampled | null): Promise<void> {
  const backend = new OnnxBackend({
    model: { path: model },
    optimizer: OPTIMIZER,
    topology: { rank: 0, size: 1, isOutputSource: true },
    threads,
    seed: 1,
    extra: { runtime: args.runtime },
  });
  await timed("load the engine", () => backend.load());
  const { promptIds, responseIds, logProbs } = sampled ?? {
    promptIds: [1, 2, 3],
    responseIds: Array.from({ length: tokens - 3 }, (_, i) => i),
    logProbs: [],
  };
  const batch = packSequences([{ promptIds, responseIds: [...responseIds] }]);
  const { logProb } = await timed("forward", () => backend.forward(batch, ["logProb"]));
  if (sampled) {
    const gaps = [...(logProb as Float32Array)].map((value, i) => Math.abs(value - logProbs[i]));
    console.log(`largest sampler-trainer gap ${Math.max(...gaps).toExponential(1)} nats`);
  }
  const loss = sftLoss();
  const fused = () => backend.fused(batch, loss, countsOf(batch));
  const first = await timed("forward and backward", fused);
  const norm = await timed("gradient norm", () => backend.gradNorm());
  await timed("update", () =>
    backend.step({ lr: OPTIMIZER.lr, gradScale: Math.min(1, 1 / norm), optimizer: OPTIMIZER }),
  );
  await backend.zeroGrad();
  const second = await timed("forward and backward again", fused);
  console.log(
    `loss ${first?.loss.toFixed(4)} before the update, ${second?.loss.toFixed(4)} after, gradient norm ${norm.toFixed(3)}`,
  );
  if (stages.has("save")) {
    const dir = path.join(folder, "checkpoint");
    await mkdir(dir, { recursive: true });
    await timed("save weights and optimizer", () => backend.save(dir, ["model", "optimizer"]));
    await timed("export", () => backend.save(dir, ["hf_model"]));
    await timed("restore", () => backend.restore(dir, ["model", "optimizer"]));
    const again = await backend.fused(batch, loss, countsOf(batch));
    console.log(`loss ${again?.loss.toFixed(4)} after restoring`);
    const exported = await openModel(path.join(dir, "huggingface"));
    const files = (await readdir(exported.path)).filter((name) => name.endsWith(".safetensors"));
    console.log(`exported: ${exported.tensors.length} tensors in ${files.length} files`);
    await exported.close();
  }
  await backend.dispose();
}

await main();
