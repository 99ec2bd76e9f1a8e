/**
 * A small model learns to add, from random weights, in one to three minutes on two CPU cores:
 *
 *     node dist/examples/arithmetic/main.js [--seed N] [--control] [--steps N] [--supervised-steps N] [--threads N] [--out FOLDER] [--json]
 */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { charTokenizerFiles, createHost, loadTokenizer, parseModelConfig, train, writeHfFolder } from "verl-ts";
import { trainOnDemonstrations } from "./supervised.js";
import { type AdditionItem, type AdditionTask, ALPHABET, additionTask, END, PAD } from "./task.js";

/** Held-out additions that are sampled and scored at every validation. */
const VALIDATION_ITEMS = 1024;
/** Share of demonstrations in which the teacher forgets the carry. */
const SLOPPINESS = 0.75;

const MODEL = {
  model_type: "llama",
  architectures: ["LlamaForCausalLM"],
  vocab_size: ALPHABET.length + 2,
  hidden_size: 192,
  intermediate_size: 512,
  num_hidden_layers: 4,
  num_attention_heads: 6,
  num_key_value_heads: 6,
  max_position_embeddings: 16,
  rms_norm_eps: 1e-5,
  rope_theta: 10000,
  hidden_act: "silu",
  tie_word_embeddings: false,
  bos_token_id: null,
  // The tokenizer puts padding and the end of an answer first.
  eos_token_id: 1,
  pad_token_id: 0,
};

interface DemoOptions {
  readonly seed: number;
  readonly control: boolean;
  readonly json: boolean;
  /** Steps of imitation. */
  readonly supervisedSteps: number;
  readonly steps: number;
  readonly threads: number;
  readonly out: string;
}

async function main(): Promise<void> {
  const options = readOptions();
  const say = (text: string) => void (options.json ? process.stderr : process.stdout).write(text);
  const began = performance.now();
  const task = additionTask(options.seed, VALIDATION_ITEMS);
  await writeRows(path.join(options.out, "train.jsonl"), task.train);
  await writeRows(path.join(options.out, "validation.jsonl"), task.validation);

  say(`1. A model of random weights imitates a teacher who forgets the carry ${100 * SLOPPINESS} % of the time.\n`);
  await supervised(options, task, say);
  say(
    options.control
      ? "2. Control: GRPO with the rewards of each group dealt out at random.\n"
      : "2. GRPO: 64 additions a step, 8 answers each, reward 1 for exactly the right digits.\n",
  );
  const outcome = await grpo(options);
  const result = {
    start: outcome.start,
    end: outcome.end,
    seconds: Math.round((performance.now() - began) / 100) / 10,
    report: path.join(outcome.outputDir, "report.html"),
  };
  if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else say(conclusion(result, options.control));
}

/** Writes the model that GRPO starts from. */
async function supervised(options: DemoOptions, task: AdditionTask, say: (text: string) => void): Promise<void> {
  const host = await createHost();
  try {
    const services = await host.services();
    const tokenizerFiles = charTokenizerFiles(ALPHABET, {
      pad: PAD,
      eos: END,
      chatTemplate: "{{ messages[0]['content'] }}",
    });
    const engine = await services.createEngine("language_model", null, {
      model: { config: MODEL, initSeed: options.seed },
      optimizer: {
        name: "adamw",
        lr: 1e-3,
        betas: [0.9, 0.98],
        eps: 1e-8,
        weightDecay: 0.01,
        clipGrad: 1,
        schedule: {
          type: "constant",
          warmupSteps: 30,
          totalSteps: options.supervisedSteps,
          minLrRatio: 0,
          numCycles: 0.5,
        },
      },
      topology: { rank: 0, size: 1, isOutputSource: true },
      threads: options.threads,
      seed: options.seed,
      extra: {},
    });
    try {
      await engine.initialize();
      await trainOnDemonstrations(engine, await loadTokenizer(tokenizerFiles), task, {
        steps: options.supervisedSteps,
        batchSize: 128,
        sloppiness: SLOPPINESS,
        seed: options.seed,
        onStep: (step, loss) => {
          if (step % 100 === 0) say(`   step ${step}/${options.supervisedSteps}  loss ${loss.toFixed(3)}\n`);
        },
      });
      await writeHfFolder(path.join(options.out, "model"), {
        config: parseModelConfig(MODEL),
        tensors: engine.getPerTensorParam(),
        tokenizerFiles,
      });
    } finally {
      await engine.dispose();
    }
  } finally {
    await host.dispose();
  }
}

async function grpo(options: DemoOptions): Promise<{ start: number; end: number; outputDir: string }> {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const outcome = await train({
    files: [fileURLToPath(new URL("../../../examples/arithmetic/grpo.yaml", import.meta.url))],
    overrides: [
      `data.train_files=[${path.join(options.out, "train.jsonl")}]`,
      `data.val_files=[${path.join(options.out, "validation.jsonl")}]`,
      `actor_rollout_ref.model.path=${path.join(options.out, "model")}`,
      `reward.custom_reward_function.path=${path.join(here, "reward.js")}`,
      "reward.custom_reward_function.name=computeScore",
      `trainer.default_local_dir=${path.join(options.out, options.control ? "control" : "grpo")}`,
      `trainer.experiment_name=arithmetic-${options.control ? "control" : "grpo"}-seed-${options.seed}`,
      `trainer.seed=${options.seed}`,
      `trainer.threads=${options.threads}`,
      `trainer.total_training_steps=${options.steps}`,
      `actor_rollout_ref.rollout.seed=${options.seed}`,
      ...(options.control
        ? ["algorithm.adv_estimator=grpo_shuffled", `plugins=[${path.join(here, "control.js")}]`]
        : []),
    ],
    output: options.json ? process.stderr : process.stdout,
  });
  const accuracies = outcome.validations.map(({ metrics }) => metrics["val-core/arithmetic/acc/mean@1"]);
  return { start: accuracies[0], end: accuracies[accuracies.length - 1], outputDir: outcome.outputDir };
}

function conclusion(result: { start: number; end: number; seconds: number; report: string }, control: boolean): string {
  const percent = (x: number) => `${(100 * x).toFixed(1)} %`;
  return [
    "",
    `${VALIDATION_ITEMS} additions whose pair of numbers was never trained on, sampled at temperature 1:`,
    `   before ${control ? "the control" : "GRPO"}  ${percent(result.start)}`,
    `   after             ${percent(result.end)}`,
    "",
    control
      ? "The rewards carried no information, so nothing could be learnt from them."
      : "A perfect imitator of the teacher would stay at 47.7 %. GRPO mainly strengthens a habit that one demonstration in four\n" +
        "shows, carrying, and then removes the mistakes that are left. It shows that reward improves this model, not that a model\n" +
        "of this size can reason.",
    "",
    `${result.seconds} s in all. Report: ${result.report}`,
    "",
  ].join("\n");
}

async function writeRows(file: string, items: readonly AdditionItem[]): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const lines = items.map(({ prompt, answer }) =>
    JSON.stringify({
      prompt: [{ role: "user", content: prompt }],
      data_source: "arithmetic",
      reward_model: { style: "rule", ground_truth: answer.slice(0, -END.length) },
    }),
  );
  await writeFile(file, `${lines.join("\n")}\n`);
}

const USAGE =
  "npm run demo -- [--seed N] [--control] [--steps N] [--supervised-steps N] [--threads N] [--out FOLDER] [--json]\n" +
  "  --control  deal the rewards of each group out at random: accuracy must not rise\n" +
  "  --json     end with one line of JSON on standard output; everything else goes to standard error\n";

function parse() {
  try {
    return parseArgs({
      options: {
        seed: { type: "string", default: "1" },
        steps: { type: "string", default: "60" },
        "supervised-steps": { type: "string", default: "400" },
        threads: { type: "string", default: "0" },
        out: { type: "string" },
        control: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return refuse(`${(error as Error).message}\n${USAGE}`);
  }
}

function refuse(text: string): never {
  process.stderr.write(text);
  process.exit(2);
}

function readOptions(): DemoOptions {
  const values = parse();
  if (values.help) {
    process.stdout.write(USAGE);
    process.exit(0);
  }
  const number = (name: "seed" | "steps" | "supervised-steps" | "threads", least = 0) => {
    const value = values[name].trim() === "" ? Number.NaN : Number(values[name]);
    if (Number.isInteger(value) && value >= least) return value;
    return refuse(`--${name} needs a whole number from ${least}, not ${JSON.stringify(values[name])}\n`);
  };
  const seed = number("seed");
  return {
    seed,
    steps: number("steps", 1),
    supervisedSteps: number("supervised-steps"),
    threads: number("threads"),
    control: values.control,
    json: values.json,
    out: path.resolve(values.out ?? path.join("outputs", "arithmetic", `seed-${seed}`)),
  };
}

await main();
