/**
 * Turns GSM8K (https://github.com/openai/grade-school-math) into rows for `verl train`:
 *
 *     node dist/examples/gsm8k/prepare.js --source FOLDER --out FOLDER
 *
 * FOLDER of the source holds `train.jsonl` and `test.jsonl` with `question` and `answer`; the variable GSM8K_DIR may name it.
 */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

/** What every question ends with, as in verl's own recipe. */
export const INSTRUCTION = 'Let\'s think step by step and output the final answer after "####".';

export interface Gsm8kRow {
  readonly data_source: "openai/gsm8k";
  readonly prompt: readonly [{ readonly role: "user"; readonly content: string }];
  readonly ability: "math";
  readonly reward_model: { readonly style: "rule"; readonly ground_truth: string };
  readonly extra_info: {
    readonly split: string;
    readonly index: number;
    readonly answer: string;
    readonly question: string;
  };
}

export function gsm8kRow(
  sample: { question: string; answer: string },
  split: string,
  index: number,
  instruction = INSTRUCTION,
): Gsm8kRow {
  const { question, answer } = sample;
  const solution = /#### (-?[0-9.,]+)/.exec(answer);
  if (!solution) throw new Error(`the answer has no line "#### number": ${answer}`);
  return {
    data_source: "openai/gsm8k",
    prompt: [{ role: "user", content: `${question} ${instruction}` }],
    ability: "math",
    reward_model: { style: "rule", ground_truth: solution[1].replaceAll(",", "") },
    extra_info: { split, index, answer, question },
  };
}

/** Write `train.jsonl` and `test.jsonl` to `out`; returns how many rows each has. */
export async function prepareGsm8k(
  source: string,
  out: string,
  instruction = INSTRUCTION,
): Promise<{ train: number; test: number }> {
  await mkdir(out, { recursive: true });
  return {
    train: await prepareSplit(source, out, "train", instruction),
    test: await prepareSplit(source, out, "test", instruction),
  };
}

async function prepareSplit(source: string, out: string, split: string, instruction: string): Promise<number> {
  const file = path.join(source, `${split}.jsonl`);
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line.trim() !== "");
  const rows = lines.map((line, index) => {
    try {
      return JSON.stringify(gsm8kRow(JSON.parse(line), split, index, instruction));
    } catch (error) {
      throw new Error(`${file}, row ${index + 1}: ${error instanceof Error ? error.message : error}`);
    }
  });
  const target = path.join(out, `${split}.jsonl`);
  await writeFile(`${target}.tmp`, `${rows.join("\n")}\n`);
  await rename(`${target}.tmp`, target);
  return rows.length;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { source: { type: "string" }, out: { type: "string" } } });
  const source = values.source ?? process.env.GSM8K_DIR;
  if (!source || !values.out) {
    throw new Error(
      "usage: prepare.js --source FOLDER --out FOLDER\n" +
        "The source (or the variable GSM8K_DIR) is a folder with train.jsonl and test.jsonl of\n" +
        "https://github.com/openai/grade-school-math (grade_school_math/data).",
    );
  }
  const { train, test } = await prepareGsm8k(source, values.out);
  console.log(`${path.resolve(values.out)}: ${train} training rows, ${test} test rows`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
