import type { PlacedMedia } from "../../core/data/index.js";
import type { TrajectoryRecord } from "../../core/tracking/index.js";

/** Where two lists part; null if they are equal. */
export interface Parting {
  readonly at: number;
  /** Null where one of them has ended. */
  readonly recorded: number | null;
  readonly replayed: number | null;
}

/** The largest difference of two lists of log-probabilities, over tokens that are the same in both. */
export interface LogProbDifference {
  readonly max: number;
  readonly at: number;
  readonly tokens: number;
}

/** The first media that are not the same in both, or stand elsewhere; null where one of the two has no more. */
export interface MediaParting {
  readonly recorded: PlacedMedia | null;
  readonly replayed: PlacedMedia | null;
}

export interface ReplayDifference {
  readonly prompt: Parting | null;
  readonly response: Parting | null;
  /** Two pictures of one size have the same tokens. */
  readonly media: MediaParting | null;
  /** Null where one of the two is not known. */
  readonly sampler: LogProbDifference | null;
  readonly trainer: LogProbDifference | null;
  readonly score: { readonly recorded: number | null; readonly replayed: number | null; readonly equal: boolean };
}

export function compareReplay(recorded: TrajectoryRecord, replayed: TrajectoryRecord): ReplayDifference {
  const response = parting(recorded.responseIds ?? [], replayed.responseIds ?? []);
  const prompt = parting(recorded.promptIds ?? [], replayed.promptIds ?? []);
  const media = mediaParting(recorded.media ?? [], replayed.media ?? []);
  // After another prompt or another token, log-probabilities are of something else. That of the first other token is not.
  const common = prompt || media ? 0 : response ? response.at : recorded.mask.length;
  return {
    prompt,
    response,
    media,
    sampler: logProbDifference(recorded, recorded.logProbs, replayed.logProbs, common),
    trainer: logProbDifference(recorded, recorded.trainerLogProbs, replayed.trainerLogProbs, common),
    score: {
      recorded: recorded.score,
      replayed: replayed.score,
      equal: recorded.score === replayed.score,
    },
  };
}

function parting(recorded: readonly number[], replayed: readonly number[]): Parting | null {
  const length = Math.max(recorded.length, replayed.length);
  for (let at = 0; at < length; at++) {
    if (recorded[at] !== replayed[at]) return { at, recorded: recorded[at] ?? null, replayed: replayed[at] ?? null };
  }
  return null;
}

function mediaParting(recorded: readonly PlacedMedia[], replayed: readonly PlacedMedia[]): MediaParting | null {
  const placeOf = (placed: PlacedMedia | undefined) => placed && `${placed.kind} ${placed.id} ${placed.offset}`;
  for (let i = 0; i < Math.max(recorded.length, replayed.length); i++) {
    if (placeOf(recorded[i]) === placeOf(replayed[i])) continue;
    return { recorded: recorded[i] ?? null, replayed: replayed[i] ?? null };
  }
  return null;
}

function logProbDifference(
  { mask }: TrajectoryRecord,
  recorded: readonly number[] | null | undefined,
  replayed: readonly number[] | null | undefined,
  length: number,
): LogProbDifference | null {
  if (!recorded || !replayed) return null;
  let [max, at, tokens] = [0, -1, 0];
  for (let t = 0; t < length; t++) {
    if (mask[t] === 0) continue;
    tokens++;
    // A file holds the shortest text of a 32-bit number.
    const difference = Math.abs(Math.fround(recorded[t]) - Math.fround(replayed[t]));
    if (difference > max || Number.isNaN(difference)) [max, at] = [difference, t];
  }
  return { max, at, tokens };
}
