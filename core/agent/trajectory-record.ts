import type { Tokenizer } from "../data/tokenizer.js";
import type { TrajectoryRecord } from "../tracking/tracker.js";
import { tokenTexts } from "./token-texts.js";
import type { TrajectoryFields } from "./trajectory-row.js";

type Recorded = Pick<TrajectoryFields, "promptIds" | "responseIds" | "dataSource" | "groundTruth" | "score"> & {
  readonly responseMask: ArrayLike<number>;
  readonly rolloutLogProbs: ArrayLike<number> | null;
  readonly rewardExtra: TrajectoryRecord["extra"];
};

/** A stored trajectory as trackers show it to people. */
export function trajectoryRecord(
  fields: Recorded,
  place: Pick<TrajectoryRecord, "key" | "step" | "split">,
  tokenizer: Tokenizer,
): TrajectoryRecord {
  return {
    ...place,
    dataSource: fields.dataSource,
    promptText: tokenizer.decode(fields.promptIds),
    responseText: tokenizer.decode(fields.responseIds),
    tokens: tokenTexts(tokenizer, fields.responseIds),
    mask: Array.from(fields.responseMask),
    logProbs: fields.rolloutLogProbs && Array.from(fields.rolloutLogProbs),
    groundTruth: fields.groundTruth,
    score: fields.score,
    extra: fields.rewardExtra,
  };
}
