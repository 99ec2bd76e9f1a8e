import { readFile } from "node:fs/promises";
import { dataErrors } from "../data/index.js";
import type { Row } from "../data/row.js";
import { isVerlError, reasonOf } from "../host/errors.js";
import type { JsonValue } from "../host/types.js";
import { dataSourceOf, type RewardManager } from "../reward/index.js";
import type { Evaluation } from "./evaluate.js";
import { openTokenizer } from "./input-setup.js";
import { createRewards } from "./rewards-setup.js";
import type { RunScope } from "./run-scope.js";

/**
 * Score responses that are already there: a JSONL file with a list column `responses`, as `verl generate` writes it.
 * `test_score/{data_source}` is the mean over prompts of the mean over responses.
 */
export async function evaluateResponses(scope: RunScope, file: string): Promise<Evaluation> {
  const rows = await readRows(file);
  const tokenizer = await openTokenizer(scope.config, scope.cwd);
  const rewards = await createRewards(scope, tokenizer, []);
  try {
    const bySource = new Map<string, number[]>();
    for (const [index, row] of rows.entries()) {
      const source = dataSourceOf(row);
      const scores = await scoreRow(rewards, row, source, `${file}:${index + 1}`, scope.signal);
      if (scores.length === 0) continue;
      const mean = scores.reduce((a, b) => a + b, 0) / scores.length;
      bySource.set(source, [...(bySource.get(source) ?? []), mean]);
    }
    const metrics = Object.fromEntries(
      [...bySource].map(([source, means]) => [`test_score/${source}`, means.reduce((a, b) => a + b, 0) / means.length]),
    );
    return { metrics, rows: rows.length };
  } finally {
    await rewards.dispose?.();
  }
}

/** Scores of a row's responses; abstentions are left out, a failure ends the evaluation and names the row. */
async function scoreRow(
  rewards: RewardManager,
  row: Row & { readonly responses: readonly string[] },
  dataSource: string,
  origin: string,
  signal: AbortSignal,
): Promise<number[]> {
  const { reward_model: rewardModel, extra_info: extra } = row as Record<
    string,
    { [name: string]: JsonValue } | undefined
  >;
  const scores: number[] = [];
  for (const [i, solution] of row.responses.entries()) {
    const result = await rewards.score(
      {
        key: `${origin}#${i}`,
        dataSource,
        solution,
        groundTruth: rewardModel?.ground_truth ?? null,
        extraInfo: extra ?? {},
        promptIds: [],
        responseIds: [],
        row,
        origin,
      },
      { signal },
    );
    if (result.score !== null) scores.push(result.score);
    else if (result.outcome !== "abstain") {
      throw dataErrors.VERL_DATA_BAD_ROW({ what: result.message ?? "a response could not be scored", where: origin });
    }
  }
  return scores;
}

async function readRows(file: string): Promise<(Row & { readonly responses: readonly string[] })[]> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw dataErrors.VERL_DATA_FILE_NOT_FOUND({
      what: "the file of responses cannot be read",
      where: file,
      why: reasonOf(error),
    });
  }
  return text
    .split("\n")
    .map((line, i) => ({ line, where: `${file}:${i + 1}` }))
    .filter(({ line }) => line.trim() !== "")
    .map(({ line, where }) => {
      try {
        const row = JSON.parse(line) as Row;
        if (Array.isArray(row.responses) && row.responses.every((r: unknown) => typeof r === "string")) {
          return row as Row & { responses: string[] };
        }
        throw dataErrors.VERL_DATA_BAD_ROW({ what: "the row has no list of texts `responses`", where });
      } catch (error) {
        if (isVerlError(error)) throw error;
        throw dataErrors.VERL_DATA_BAD_ROW({ what: "the line is not JSON", where, why: reasonOf(error) });
      }
    });
}
