/**
 * Time and peak memory of long sequences on the shape of SmolLM2-135M with random weights, one stage in one process.
 *
 *   node dist/bench/long/main.js --stage train|forward|prefill|decode [--length 4096] [--layers 30] [--sequences 1]
 *        [--threads 2] [--repeats 1] [--window 512 [--full 5]] [--tokens 100] [--options '{"attentionMemoryMiB":1024}']
 *
 * `train` is forward, loss and backward; `forward` the log-probabilities; `prefill` a prompt of that length and four tokens after it;
 * `decode` the tokens after it. With a window all layers see so many tokens, or all but the first `--full`.
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
  "npm run bench -- long --stage train|forward|prefill|decode [--length 4096] [--layers 30] [--sequences 1] [--threads 2] [--repeats 1] [--window N [--full N]] [--tokens 100] [--options JSON]";
const { values: args } = commandLine({
  usage: USAGE,
  options: {
    stage: { type: "string", default: "train" },
    length: { type: "string", default: "4096" },
    layers: { type: "string", default: "30" },
    sequences: { type: "string", default: "1" },
    threads: { type: "string", default: "2" },
    repeats: { type: "string", default: "1" },
    window: { type: "string" },
    full: { type: "string", default: "0" },
    tokens: { type: "string", default: "100" },
    options: { type: "string", default: "{}" },
  },
});
const number = (name: "length" | "layers" | "sequences" | "threads" | "repeats" | "tokens") =>
  wholeNumber(name, args[name], 1, USAGE);
const [stage] = listOf("stage", args.stage, ["train", "forward", "prefill", "decode"], USAGE);
const window = args.window === undefined ? null : wholeNumber("window", args.window, 1, USAGE);
const full = wholeNumber("full", args.full, 0, USAGE);
const [length, sequences, threads, repeats] = (["length", "sequences", "threads", "repeats"] as const).map(number);
const extra = JSON.parse(args.options) as Record<string, unknown>;

const MODEL = {
  ...configOf({ ...SHAPES.smollm2, layers: number("layers") }),
  max_position_embeddings: 65536,
  rope_theta: 1e5,
  ...(window === null
    ? {}
    : { model_type: "qwen2", use_sliding_window: true, sliding_window: window, max_window_layers: full }),
};
const OPTIMIZER = adamW(1e-5);

const random = new RandomStream(1, "long");
const tokens = (count: number) => Array.from({ length: count }, () => random.int(MODEL.vocab_size));

async function main(): Promise<void> {
  console.log(`${machine()}, ${threads} threads`);
  if (stage === "prefill") await sample(4);
  else if (stage === "decode") await sample(number("tokens"));
  else await train(stage === "forward");
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

/** Prompts of that length, all but the first token of the responses timed by themselves. */
async function sample(maxTokens: number): Promise<void> {
  const config = parseModelConfig(MODEL);
  const drawnAt: number[] = [];
  const replica = createOnnxReplica({
    replicaRank: 0,
    model: { config: MODEL },
    maxNumSeqs: sequences,
    maxModelLen: length + maxTokens + 64,
    responseLength: maxTokens,
    threads,
    eosTokenIds: [],
    createDecoder: () => ({
      push: () => {
        drawnAt.push(performance.now());
        return "";
      },
      pending: () => "",
    }),
    extra,
  });
  await replica.launch();
  await timed("load the model", () => replica.receiveWeights(randomWeights(config), { version: 1 }));
  // A text that never comes makes the server decode each token as it is drawn.
  const sampling = { temperature: 1, topP: 1, topK: -1, maxTokens, logProbs: true, stop: ["never"] };
  for (let i = 0; i < repeats; i++) {
    drawnAt.length = 0;
    const outputs = await timed(`prompts and ${maxTokens} tokens`, () =>
      Promise.all(
        Array.from({ length: sequences }, (_, s) =>
          replica.generate({ requestId: `${i} ${s}`, promptIds: tokens(length), seed: 1, sampling }),
        ),
      ),
    );
    const [{ tokenIds, logProbs }] = outputs;
    console.log(
      `  ${tokenIds
        .slice(0, 4)
        .map((id, t) => `${id} ${logProbs?.[t].toFixed(5)}`)
        .join(", ")}`,
    );
    // From where all prompts are computed: then every call draws one token of each sequence.
    const drawn = drawnAt.slice(sequences - 1);
    const rate = (drawn.length - 1) / ((drawn[drawn.length - 1] - drawn[0]) / 1000);
    console.log(`  decoding: ${rate.toFixed(2)} tokens/s`);
  }
  await replica.dispose();
}

await main();
