import type { PlacedMedia } from "../../data/media/media.js";
import type { Row } from "../../data/rows/row.js";
import type { JsonValue } from "../../host/types.js";
import type { RewardOutcome } from "../../reward/index.js";
import type { VersionRun } from "../../rollout/rollout.js";
import type { Tag, TrajectoryTag } from "../../transfer/index.js";

/** Fields of a stored trajectory. Unpadded; lists over response tokens have one length. */
export interface TrajectoryFields {
  readonly promptIds: Int32Array;
  readonly responseIds: Int32Array;
  /** 1 = sampled by the policy. */
  readonly responseMask: Int32Array;
  /** Tempered log-probabilities of the sampler, nats; null when it gave none. */
  readonly rolloutLogProbs: Float32Array | null;
  /** Score of the session, the same on each of its outputs; null when there is none. */
  readonly score: number | null;
  /** Null: not scored yet. */
  readonly rewardOutcome: RewardOutcome | null;
  readonly rewardExtra: { readonly [name: string]: JsonValue };
  /** What went wrong while scoring. */
  readonly rewardMessage: string | null;
  readonly numTurns: number;
  readonly stopReason: string;
  readonly minWeightVersion: number;
  readonly maxWeightVersion: number;
  /** Which weights drew which sampled token; null where only the span is known. */
  readonly weightVersions: readonly VersionRun[] | null;
  /** Media among prompt and response, by reference; left out where there are none. */
  readonly multiModalData?: readonly PlacedMedia[];
  /** Seconds per phase: `generateSequences`, `toolCalls`, `computeScore`, `rewardQueue`; and `numPreempted`. */
  readonly metrics: { readonly [name: string]: number };
  readonly extraFields: { readonly [name: string]: JsonValue };
  readonly dataSource: string;
  readonly groundTruth: JsonValue;
  /** `file:line` of the dataset row, or empty. */
  readonly origin: string;
  readonly agentName: string;
  /** The conversation before the response, of a trajectory that is scored later. */
  readonly promptMessages?: JsonValue;
  /** What of its score is known already. */
  readonly rewardLater?: JsonValue;
}

/** Where a trajectory belongs. */
export interface TrajectoryPlace {
  readonly draw: number;
  readonly session: number;
  readonly index: number;
  readonly globalStep: number;
}

export const toRow = ({ weightVersions, multiModalData, ...fields }: TrajectoryFields): Row => ({
  ...fields,
  ...(multiModalData ? { multiModalData: multiModalData.map((placed) => ({ ...placed })) } : {}),
  weightVersions: weightVersions?.map((run) => ({ ...run })) ?? null,
});

/** The tag of a stored trajectory. Rows are ordered by (draw, session, index) before training. */
export function trajectoryTag(fields: TrajectoryFields, place: TrajectoryPlace): Tag {
  const promptLen = fields.promptIds.length;
  const responseLen = fields.responseIds.length;
  const lengths: TrajectoryTag = {
    status: "success",
    promptLen,
    responseLen,
    seqLen: promptLen + responseLen,
    globalSteps: place.globalStep,
    minGlobalSteps: fields.minWeightVersion,
    maxGlobalSteps: fields.maxWeightVersion,
  };
  const { draw, session, index } = place;
  return { ...lengths, draw, session, index, trainable: fields.rolloutLogProbs !== null };
}
