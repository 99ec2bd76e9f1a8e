import { setMaxListeners } from "node:events";
import { TraceSample, tracedReward } from "../../agent/index.js";
import { dataErrors, MediaStore, type RawRow, readDataFiles, type Tokenizer } from "../../data/index.js";
import { isVerlError } from "../../host/errors.js";
import type { JsonValue } from "../../host/types.js";
import { dataSourceOf, type RewardManager, rewardErrors, scoringFix } from "../../reward/index.js";
import { noTracer, type Tracer } from "../../tracing/index.js";
import type { InputScope } from "../run-scope.js";
import { openTokenizer } from "../setup/input-setup.js";
import { createRewards } from "../setup/rewards-setup.js";
import { createRunSandbox } from "../setup/sandbox-setup.js";
import { createCommandTracer } from "../setup/tracing-setup.js";
import type { Evaluation } from "./evaluate.js";
import { type ShownPrompt, shownPrompts } from "./response-media.js";

/**
 * Score responses that are already there: a file with a list column `responses`, as `verl generate` writes it.
 * `test_score/{data_source}` is the mean over prompts of the mean over responses; abstentions are left out and
 * counted, a failure ends the evaluation and names the row. `namedBy` is what the user named the file with, for advice.
 */
export async function evaluateResponses(
  scope: InputScope,
  file: string,
  namedBy = "the file of responses",
): Promise<Evaluation> {
  const { config, signal } = scope;
  const rows = await readDataFiles([file], { split: "response", namedBy, signal });
  const responses = rows.map(responsesOf);
  const sandbox = createRunSandbox(config.reward, scope.services, scope.logger);
  const media = new MediaStore();
  const prompts = await shownPrompts(rows, media, scope);
  const parts = { tokenizer: await tokenizerOrNone(scope), media, sandbox, loops: null };
  const rewards = await createRewards(scope, parts, []);
  let tracer = noTracer;
  try {
    await rewards.start({ signal });
    tracer = await createCommandTracer(scope, "eval");
    rewards.trace(tracer);
    const isTraced = new TraceSample(tracer.promptsPerWorker).choose(
      rows.map(({ origin }) => origin),
      rows.map(() => 0),
      "eval",
    );
    // One that would be loaded after sampling: here there is nothing to sample.
    if (rewards.late(null)) await rewards.manager.start?.({ signal });
    // All listen to the signal; the manager bounds how many are scored at a time.
    setMaxListeners(0, signal);
    const scored = await Promise.all(
      rows.map(async (raw, i) => {
        const source = dataSourceOf(raw.row, config.data.reward_fn_key);
        const traced = { tracer, index: i, traced: isTraced(raw.origin) };
        return {
          source,
          scores: await scoreRow(rewards.manager, raw, responses[i], { source, prompt: prompts[i], signal, ...traced }),
        };
      }),
    );
    const bySource = new Map<string, number[]>();
    for (const { source, scores } of scored) {
      if (scores.length > 0) bySource.set(source, [...(bySource.get(source) ?? []), mean(scores)]);
    }
    const metrics = Object.fromEntries([...bySource].map(([source, means]) => [`test_score/${source}`, mean(means)]));
    const abstained = scored.reduce((sum, { scores }, i) => sum + responses[i].length - scores.length, 0);
    return {
      metrics: { ...metrics, ...(abstained > 0 ? { "validation/abstained_samples": abstained } : {}) },
      rows: rows.length,
    };
  } finally {
    await tracer.finish();
    await rewards.dispose();
    await sandbox.close();
  }
}

interface RowScope {
  readonly source: string;
  readonly prompt: ShownPrompt;
  readonly signal: AbortSignal;
  readonly tracer: Tracer;
  /** Number of the row. */
  readonly index: number;
  readonly traced: boolean;
}

/** Most scorers read texts alone: a tokenizer that cannot be opened is an error only for a scorer that asks it something. */
async function tokenizerOrNone({ config, cwd }: InputScope): Promise<Tokenizer> {
  try {
    return await openTokenizer(config, cwd);
  } catch (error) {
    if (!isVerlError(error)) throw error;
    return new Proxy({} as Tokenizer, {
      get(_, name) {
        // Every promise that is given the stand-in asks for this.
        if (name === "then") return undefined;
        throw error;
      },
    });
  }
}

async function scoreRow(
  rewards: RewardManager,
  { row, origin }: RawRow,
  responses: readonly string[],
  { source: dataSource, prompt: { messages, media }, signal, tracer, index, traced }: RowScope,
): Promise<number[]> {
  const { reward_model: rewardModel, extra_info: extra } = row as Record<
    string,
    { [name: string]: JsonValue } | null | undefined
  >;
  const results = await Promise.all(
    responses.map((solution, i) => {
      const key = `${origin}#${i}`;
      const input = {
        key,
        dataSource,
        solution,
        groundTruth: rewardModel?.ground_truth ?? null,
        extraInfo: extra ?? {},
        promptIds: [],
        responseIds: [],
        messages,
        ...(media.length > 0 ? { media } : {}),
        row,
        origin,
      };
      const alone = { key, sampleIndex: index, rolloutN: i, validate: true, traced };
      return tracedReward(tracer, dataSource, () => rewards.score(input, { signal }), alone);
    }),
  );
  return results.flatMap(({ score, outcome, message }) => {
    if (score !== null) return [score];
    if (outcome === "abstain") return [];
    throw rewardErrors.VERL_REWARD_FAILED({
      what: "a response could not be scored",
      where: origin,
      ...(message ? { why: message, ...scoringFix(message) } : {}),
    });
  });
}

function responsesOf({ row, origin }: RawRow): readonly string[] {
  const { responses } = row;
  if (Array.isArray(responses) && responses.every((text) => typeof text === "string")) return responses as string[];
  throw dataErrors.VERL_DATA_BAD_ROW({ what: "the row has no list of texts `responses`", where: origin });
}

const mean = (xs: readonly number[]): number => xs.reduce((a, b) => a + b, 0) / xs.length;
