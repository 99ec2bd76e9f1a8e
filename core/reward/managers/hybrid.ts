import type { CallOptions, JsonValue } from "../../host/types.js";
import { isFailure } from "../error-policy.js";
import { rewardErrors } from "../errors.js";
import { isScore, namedScore } from "../float-score.js";
import { toJsonValue } from "../json-value.js";
import { ownInput } from "../own-input.js";
import type {
  RewardInput,
  RewardManager,
  RewardManagerFactory,
  RewardManagerOptions,
  RewardResult,
} from "../reward.js";
import { inOneLine } from "../score-value.js";
import { createNaiveRewardManager } from "./naive.js";

/**
 * The parts that a score is made of: `rule`, the scorer of the data source; `function`, the user's; `model`, the discriminative
 * reward model. Their weights, by data source.
 */
export interface HybridRule {
  /** Exact, or a prefix that ends in `*`. The first rule that fits decides. */
  readonly data_source: string;
  readonly rule: number;
  readonly function: number;
  readonly model: number;
}

const PARTS = ["rule", "function", "model"] as const;
type Part = (typeof PARTS)[number];

/**
 * Scores made of parts: the sum of weight · score over the parts of the first rule in `reward.hybrid` that fits the row. Parts
 * are scored at the same time. A part that abstains is left out; if all do, so does the sum; one that fails makes the whole fail.
 * A negative weight makes a penalty of its part: more of it is worse. Extra values: those of the parts, earlier ones winning and
 * penalties last, and `rule_score`, `function_score`, `model_score`.
 */
export const hybridRewardManager: RewardManagerFactory = { name: "hybrid", create: createHybridRewardManager };

export function createHybridRewardManager(options: RewardManagerOptions): RewardManager {
  const rules = readRules(options);
  const managers: Readonly<Record<Part, RewardManager | null>> = {
    rule: createNaiveRewardManager({ ...options, customFunction: null }),
    function: options.customFunction && createNaiveRewardManager(options),
    model: options.rewardModel,
  };

  function partsOf(dataSource: string): readonly { readonly part: Part; readonly weight: number }[] {
    const found = hybridRuleOf(rules, dataSource);
    if (!found) {
      throw rewardErrors.VERL_REWARD_NO_SCORER({
        what: `no rule of reward.hybrid fits the data source "${dataSource}"`,
        why: `there are rules for ${rules.map(({ data_source: pattern }) => pattern).join(", ")}`,
        fix: 'add one, or one for all others with data_source: "*"',
      });
    }
    return PARTS.flatMap((part) => (found[part] === 0 ? [] : [{ part, weight: found[part] }]));
  }

  const scored = (parts: ReturnType<typeof partsOf>, input: RewardInput, call?: CallOptions) =>
    Promise.all(
      parts.map(async ({ part, weight }) => ({
        part,
        weight,
        result: await managers[part]!.score(ownInput(input), call),
      })),
    );

  return {
    score: async (input, call) => combined(await scored(partsOf(input.dataSource), input, call)),
    staged: {
      async score(input, call) {
        const all = partsOf(input.dataSource);
        const model = all.find(({ part }) => part === "model");
        const early = await scored(
          all.filter((each) => each !== model),
          input,
          call,
        );
        // Where a part has failed, so has the whole, and the model is not asked.
        if (!model || early.some(({ result }) => isFailure(result))) return combined(early);
        const later: Later = { early, weight: model.weight };
        return { outcome: "abstain", score: null, extra: {}, later: toJsonValue(later) };
      },
      finish(later, result) {
        const { early, weight } = later as unknown as Later;
        return combined([...early, { part: "model", weight, result }]);
      },
    },
    supports: (dataSource) => partsOf(dataSource).every(({ part }) => managers[part]!.supports(dataSource)),
    start: async (call) => managers.model?.start?.(call),
    dispose: async () => managers.model?.dispose?.(),
  };
}

/** What is kept of a trajectory until the model has scored it. Plain data. */
interface Later {
  readonly early: readonly PartResult[];
  /** Of the model's part. */
  readonly weight: number;
}

interface PartResult {
  readonly part: Part;
  readonly weight: number;
  readonly result: RewardResult;
}

function combined(parts: readonly PartResult[]): RewardResult {
  const failed = parts.find(({ result }) => isFailure(result));
  const seconds = {
    queue: Math.max(...parts.map(({ result }) => result.seconds?.queue ?? 0)),
    score: Math.max(...parts.map(({ result }) => result.seconds?.score ?? 0)),
  };
  if (failed) return { ...failed.result, seconds };
  const extra: Record<string, JsonValue> = {};
  // What a penalty says of itself (`acc`) must not stand for the whole.
  const bySign = [...parts.filter(({ weight }) => weight > 0), ...parts.filter(({ weight }) => weight < 0)];
  for (const { result } of bySign) {
    for (const [name, value] of Object.entries(result.extra)) if (name !== "score") extra[name] ??= value;
  }
  for (const { part, result } of parts) extra[`${part}_score`] = result.score;
  const scored = parts.filter(({ result }) => result.score !== null);
  if (scored.length === 0) return { outcome: "abstain", score: null, extra, seconds };
  const score = scored.reduce((sum, { weight, result }) => sum + weight * result.score!, 0);
  if (!isScore(score)) {
    const sum = scored.map(({ part, weight, result }) => `${weight} · ${result.score} (${part})`).join(" + ");
    const error = rewardErrors.VERL_REWARD_BAD_RESULT({
      what: `the weighted sum of the parts is ${namedScore(score)}: ${sum}`,
      where: "reward.hybrid",
      fix: "take smaller weights, or scores of a bounded size",
    });
    return { outcome: "error", score: null, extra: {}, message: inOneLine(error), seconds };
  }
  return { outcome: "scored", score, extra, seconds };
}

/** The rule that decides for a data source. */
export const hybridRuleOf = (rules: readonly HybridRule[], dataSource: string): HybridRule | undefined =>
  rules.find(({ data_source: pattern }) => fits(pattern, dataSource));

const fits = (pattern: string, dataSource: string): boolean =>
  pattern.endsWith("*") ? dataSource.startsWith(pattern.slice(0, -1)) : pattern === dataSource;

function readRules({ hybrid, customFunction, rewardModel, logger }: RewardManagerOptions): readonly HybridRule[] {
  const bad = (what: string, at?: number) =>
    rewardErrors.VERL_REWARD_BAD_HYBRID({ what, where: `reward.hybrid${at === undefined ? "" : `[${at}]`}` });
  if (hybrid.length === 0) throw bad("the reward manager is hybrid, and there are no rules");
  for (const [i, rule] of hybrid.entries()) {
    const odd = PARTS.find((part) => !Number.isFinite(rule[part]));
    if (odd) throw bad(`the weight of \`${odd}\` is ${rule[odd]}`, i);
    const weighed = PARTS.filter((part) => rule[part] !== 0);
    if (weighed.length === 0) throw bad("no part has a weight", i);
    if (weighed.every((part) => rule[part] < 0)) {
      const parts = weighed.map((part) => `${part}: ${rule[part]}`).join(", ");
      logger.warn(
        `reward.hybrid[${i}] (${rule.data_source}) has negative weights alone (${parts}): the model learns to score low there`,
      );
    }
    if (rule.function !== 0 && !customFunction)
      throw bad("the part `function` needs reward.custom_reward_function.path", i);
    if (rule.model !== 0 && !rewardModel) throw bad("the part `model` needs reward.reward_model.enable", i);
  }
  return hybrid;
}
