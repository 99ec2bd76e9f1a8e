import type { Row } from "../../data/rows/row.js";
import type { ChatMessage, Tokenizer } from "../../data/tokenizer.js";
import type { JsonValue } from "../../host/types.js";
import {
  ownScore,
  type RewardManager,
  type RewardResult,
  rewardMedia,
  toJsonValue,
  underPolicy,
} from "../../reward/index.js";
import type { AgentLoopOutput } from "../agent-loop.js";
import type { AgentSettings } from "../settings.js";
import type { CheckedOutput } from "./check-output.js";

/** What the reward of a session is computed from: its final output, and the dataset row. */
export interface ScoredSession {
  readonly key: string;
  readonly output: AgentLoopOutput;
  readonly checked: CheckedOutput;
  readonly messages: readonly ChatMessage[];
  readonly row: Row;
  readonly dataSource: string;
  readonly origin: string;
}

/** The reward of a session: the loop's own score, else the manager's. Null when it is left to the trainer. */
export async function scoreSession(
  session: ScoredSession,
  options: {
    readonly manager: RewardManager | null;
    readonly settings: Pick<AgentSettings, "rewardPolicy" | "rewardParts">;
    readonly tokenizer: Tokenizer;
    readonly signal: AbortSignal;
  },
): Promise<RewardResult | null> {
  const { key, output, checked, messages, row, dataSource, origin } = session;
  if (output.rewardScore !== undefined) {
    const extra = objectOf(toJsonValue(output.extraFields.reward_extra_info));
    const { rewardPolicy, rewardParts } = options.settings;
    return underPolicy(ownScore(output.rewardScore, extra, { key, dataSource, origin }, rewardParts), rewardPolicy);
  }
  if (!options.manager) return null;
  return options.manager.score(
    {
      key,
      dataSource,
      solution: options.tokenizer.decode(checked.responseIds, { skipSpecialTokens: true }),
      groundTruth: groundTruthOf(row),
      extraInfo: { ...objectOf(row.extra_info), ...output.extraFields, num_turns: output.numTurns },
      promptIds: Array.from(checked.promptIds),
      responseIds: Array.from(checked.responseIds),
      messages,
      row,
      ...(checked.media.length > 0 ? { media: rewardMedia(checked.media, checked.promptIds.length) } : {}),
      ...(origin ? { origin } : {}),
    },
    { signal: options.signal },
  );
}

export function groundTruthOf(row: Row): JsonValue {
  return objectOf(row.reward_model).ground_truth ?? null;
}

function objectOf(value: unknown): Record<string, JsonValue> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)
    ? (value as Record<string, JsonValue>)
    : {};
}
