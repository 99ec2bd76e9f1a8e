import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const examples = fileURLToPath(new URL("../../examples/", import.meta.url));

/** Small enough to take seconds, large enough for groups of two. */
const SMALL = [
  "data.train_batch_size=2",
  "actor_rollout_ref.rollout.n=2",
  "actor_rollout_ref.actor.ppo_mini_batch_size=2",
];

export interface ExampleRun {
  /** The one line of JSON. */
  readonly result: Readonly<Record<string, number | string>>;
  /** Metrics of the steps of a variant. */
  steps(variant: string): Promise<readonly Readonly<Record<string, number>>[]>;
  read(...file: string[]): Promise<string>;
}

/** Runs an example for a few steps, with everything that a full run has, in a folder of its own. */
export async function runExample(
  name: string,
  args: readonly string[],
  check: (run: ExampleRun) => Promise<void>,
): Promise<void> {
  const out = await mkdtemp(path.join(tmpdir(), `verl-${name}-`));
  try {
    const main = path.join(examples, name, "main.js");
    const all = [main, "--json", "--supervised-steps", "2", "--steps", "2", "--threads", "1", "--out", out];
    const { stdout } = await promisify(execFile)(process.execPath, [...all, ...args, ...SMALL]);
    const read = (...file: string[]) => readFile(path.join(out, ...file), "utf8");
    await check({
      result: JSON.parse(stdout),
      read,
      async steps(variant) {
        const lines = (await read(variant, "metrics.jsonl")).trim().split("\n");
        return lines
          .map((line) => JSON.parse(line) as { step: number; data: Record<string, number> })
          .flatMap(({ data }) => ("training/global_step" in data ? [data] : []));
      },
    });
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}
