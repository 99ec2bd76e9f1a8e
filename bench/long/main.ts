/**
 * Time and peak memory of long sequences on the shape of SmolLM2-135M with random weights, one stage in one process.
 *
 *   node dist/bench/long/main.js --stage train|forward|prefill [--length 4096] [--layers 30] [--sequences 1] [--threads 2]
 *        [--repeats 1] [--options '{"attentionMemoryMiB":1024}']
 *
 * `train` is forward, loss and backward; `forward` the log-probabilities; `prefill` a prompt of that length and four tokens after it.
 */
import { countsOf, sftLoss } from "../../core/algorithms/index.js";
import { RandomStream } from "../../core/data/index.js";
import { parseModelConfig } from "../../core/formats/index.js";
import { packSequences, selectSequences } from "../../core/plugin.js";
import { OnnxBackend } from "../../engines/onnx/backend/onnx-backend.js";
import { createOnnxReplica } from "../../engines/onnx/rollout/replica.js";
import { commandLine, listOf, wholeNumber } from "../../test/command-line.js";
import { machine } from "../figures.js";
import { timed } from "../progress.js";
import { adamW, configOf, randomWeights, SHAPES } from "../random-model.js";

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
const [stage] = listOf("stage", args.stage, ["train", "forward", "prefill"], USAGE);
const [length, sequences, threads, repeats] = (["length", "sequences", "threads", "repeats"] as const).map(number);
const extra = JSON.parse(args.options) as Record<string, unknown>;

const MODEL = {
  ...configOf({ ...SHAPES.smollm2, layers: number("layers") }),
  max_position_embeddings: 65536,
  rope_theta: 1e5,
};
const OPTIMIZER = adamW(1e-5);

const random = new RandomStream(1, "long");
const tokens = (count: number) => Array.from({ length: count }, () => random.int(MODEL.vocab_size));

async function main(): Promise<void> {
  console.log(`${machine()}, ${threads} threads`);
  await (stage === "prefill" ? prefill() : train(stage === "forward"));
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
  await timed("load the model", () => backend.load());
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
  await timed("load the model", () => replica.receiveWeights(randomWeights(config), { version: 1 }));
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

await main();
