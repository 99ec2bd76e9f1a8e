import type { Tokenizer } from "../../data/tokenizer.js";
import type { TrajectoryRecord } from "../../tracking/tracker.js";
import { mediaWithin, namedMedia, textWithMedia } from "../prompts/media-text.js";
import { tokenTexts } from "../prompts/token-texts.js";
import type { TrajectoryFields } from "./trajectory-row.js";

type Recorded = Pick<
  TrajectoryFields,
  | "promptIds"
  | "responseIds"
  | "dataSource"
  | "groundTruth"
  | "score"
  | "stopReason"
  | "minWeightVersion"
  | "maxWeightVersion"
  | "numTurns"
  | "rewardMessage"
  | "origin"
  | "multiModalData"
> & {
  readonly responseMask: ArrayLike<number>;
  readonly rolloutLogProbs: ArrayLike<number> | null;
  readonly rewardExtra: TrajectoryRecord["extra"];
};

/** What the trainer adds to a trajectory; lists over response tokens. */
export type Trained = Pick<TrajectoryRecord, "trainerLogProbs" | "advantages">;

/** A stored trajectory as trackers show it to people. */
export function trajectoryRecord(
  fields: Recorded,
  place: Pick<TrajectoryRecord, "key" | "step" | "split">,
  tokenizer: Tokenizer,
  trained: Trained = {},
): TrajectoryRecord {
  const { promptIds, responseIds, multiModalData: media = [] } = fields;
  const from = promptIds.length;
  return {
    ...place,
    ...trained,
    dataSource: fields.dataSource,
    promptText: textWithMedia(tokenizer, promptIds, media),
    responseText: textWithMedia(tokenizer, responseIds, media, { from }),
    tokens: namedMedia(tokenTexts(tokenizer, responseIds), mediaWithin(media, from, responseIds.length)),
    mask: Array.from(fields.responseMask),
    logProbs: fields.rolloutLogProbs && Array.from(fields.rolloutLogProbs),
    groundTruth: fields.groundTruth,
    score: fields.score,
    extra: fields.rewardExtra,
    promptIds: Array.from(promptIds),
    responseIds: Array.from(responseIds),
    ...(media.length > 0 ? { media } : {}),
    stopReason: fields.stopReason,
    weightVersions: [fields.minWeightVersion, fields.maxWeightVersion],
    numTurns: fields.numTurns,
    rewardMessage: fields.rewardMessage,
    origin: fields.origin,
  };
}
