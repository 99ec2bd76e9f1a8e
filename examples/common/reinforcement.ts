import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type TrainOutcome, train } from "verl-ts";
import type { ExampleOptions } from "./command.js";
import { curveSvg, type Line } from "./curve-svg.js";

/** The examples' configurations name files from here. */
export const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));

export interface Reinforcement {
  /** The example's folder under `examples/`. */
  readonly name: string;
  /** Of this run, in its folder's name and in the picture's legend. */
  readonly variant: string;
  readonly label: string;
  readonly overrides?: readonly string[];
  /** Validation metric that the curve shows. */
  readonly measure: string;
  readonly title: string;
  /** Values to compare with, as level lines. */
  readonly levels?: readonly { readonly label: string; readonly value: number }[];
}

export interface Reinforced extends TrainOutcome {
  readonly curve: Line["points"];
  /** The picture of this run and of the variants that ran in the same folder before. */
  readonly picture: string;
}

/**
 * The second stage: `examples/NAME/grpo.yaml`, with the model and the data that stand in the output folder. Ends with a
 * picture of the validation's curve.
 */
export async function reinforce(options: ExampleOptions, run: Reinforcement): Promise<Reinforced> {
  const { out, seed, threads, steps, json } = options;
  const outcome = await train({
    files: [path.join(REPOSITORY, "examples", run.name, "grpo.yaml")],
    cwd: REPOSITORY,
    overrides: [
      `data.train_files=[${path.join(out, "train.jsonl")}]`,
      `data.val_files=[${path.join(out, "validation.jsonl")}]`,
      `actor_rollout_ref.model.path=${path.join(out, "model")}`,
      `trainer.default_local_dir=${path.join(out, run.variant)}`,
      `trainer.experiment_name=${run.name}-${run.variant}-seed-${seed}`,
      `trainer.seed=${seed}`,
      `trainer.threads=${threads}`,
      `trainer.total_training_steps=${steps}`,
      `actor_rollout_ref.rollout.seed=${seed}`,
      ...(run.overrides ?? []),
      ...options.overrides,
    ],
    output: json ? process.stderr : process.stdout,
  });
  const curve = outcome.validations.map(({ step, metrics }) => [step, metrics[run.measure]] as const);
  await writeFile(path.join(out, `${run.variant}${CURVE}`), JSON.stringify({ label: run.label, points: curve }));
  const picture = path.join(out, "curve.svg");
  const levels = (run.levels ?? []).map(
    ({ label, value }): Line => ({ label, points: [0, steps].map((step) => [step, value]) }),
  );
  await writeFile(
    picture,
    curveSvg({ title: run.title, percent: true, lines: [...(await readCurves(out)), ...levels] }),
  );
  return { ...outcome, curve, picture };
}

const CURVE = ".curve.json";

async function readCurves(folder: string): Promise<Line[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(CURVE)).sort();
  return Promise.all(files.map(async (file) => JSON.parse(await readFile(path.join(folder, file), "utf8")) as Line));
}

/** What an example prints at its end, for people or as JSON. */
export interface ExampleResult {
  /** Of the validations before and after the steps. */
  readonly start: number;
  readonly end: number;
  readonly seconds: number;
  readonly report: string;
  readonly curve: string;
  readonly [figure: string]: number | string;
}

export function exampleResult(outcome: Reinforced, began: number): ExampleResult {
  return {
    start: outcome.curve[0][1],
    end: outcome.curve[outcome.curve.length - 1][1],
    seconds: Math.round((performance.now() - began) / 100) / 10,
    report: path.join(outcome.outputDir, "report.html"),
    curve: outcome.picture,
  };
}

/** The last lines of an example, or its one line of JSON. */
export function conclude({ json, say }: ExampleOptions, result: ExampleResult, lines: readonly string[]): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  say(
    `\n${lines.map((line) => `${line}\n`).join("")}\n${result.seconds} s in all. Report: ${result.report}\nCurve: ${result.curve}\n`,
  );
}

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Mean of a metric over the steps of a run that logged it. */
export async function average({ outputDir }: Reinforced, metric: string): Promise<number> {
  const lines = (await readFile(path.join(outputDir, "metrics.jsonl"), "utf8")).trim().split("\n");
  const values = lines
    .map((line) => (JSON.parse(line) as { readonly data: Readonly<Record<string, unknown>> }).data[metric])
    .filter((value) => typeof value === "number");
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
