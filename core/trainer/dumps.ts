import path from "node:path";
import type { RunConfig } from "../config/run-config.js";
import type { Tokenizer } from "../data/index.js";
import { writeDump } from "../data/index.js";
import type { TrainingRow } from "./training-row.js";

/** Writes `rollout_data_dir` and `validation_data_dir`, one file a step; nothing where they are not set. */
export function runDumps(
  config: RunConfig,
  tokenizer: Tokenizer,
  cwd: string,
): (split: "train" | "val", rows: readonly TrainingRow[], step: number) => Promise<void> {
  const { rollout_data_dir, validation_data_dir } = config.trainer;
  return async (split, rows, step) => {
    const dir = split === "train" ? rollout_data_dir : validation_data_dir;
    if (dir === null) return;
    await writeDump(
      path.resolve(cwd, dir),
      step,
      rows.map((row) => ({
        ...(split === "val" ? row.rewardExtra : {}),
        input: tokenizer.decode(row.promptIds, { skipSpecialTokens: true }),
        output: tokenizer.decode(row.responseIds, { skipSpecialTokens: true }),
        gts: row.groundTruth,
        score: row.score,
        step,
        uid: row.key,
      })),
    );
  };
}
