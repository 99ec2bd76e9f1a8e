import type { PlacedMedia } from "../../data/media/media.js";
import type { VersionRun } from "../../rollout/rollout.js";
import { applyToMedia, type TokenEdit } from "./edit.js";

/**
 * Sampled tokens of one model call: response positions `start` to `end` (exclusive), and the weights that drew them. A call that
 * says which weights drew which token has a span for each version.
 */
export interface SampledSpan {
  readonly start: number;
  readonly end: number;
  readonly minWeightVersion: number;
  readonly maxWeightVersion: number;
}

/** One training sample. The three response lists have one length. */
export interface TokenSample {
  readonly promptIds: readonly number[];
  readonly responseIds: readonly number[];
  /** 1 = sampled by the policy; 0 = everything else. */
  readonly responseMask: readonly (0 | 1)[];
  /** Nats; 0 where the mask is 0. Null when the server gives none. */
  readonly responseLogProbs: readonly number[] | null;
  readonly spans: readonly SampledSpan[];
  /** Media in their order, with offsets from the prompt's first token; absent where there are none. */
  readonly media?: readonly PlacedMedia[];
}

/** What came with sampled ids. */
export interface SampledMetadata {
  readonly logProbs: readonly number[] | null;
  readonly minWeightVersion: number;
  readonly maxWeightVersion: number;
  /** Of the ids of this call. */
  readonly weightVersions?: readonly VersionRun[];
}

export function newSample(
  promptIds: readonly number[],
  withLogProbs: boolean,
  media: readonly PlacedMedia[] = [],
): TokenSample {
  const responseLogProbs = withLogProbs ? [] : null;
  return { promptIds, responseIds: [], responseMask: [], responseLogProbs, spans: [], ...withMedia(media) };
}

const withMedia = (media: readonly PlacedMedia[]) => (media.length > 0 ? { media } : {});

/**
 * The sample after an edit. Mask and log-probabilities follow the ids: what is removed loses its entries, inserted ids get
 * 0, appended ids get 1 with their log-probabilities if they were sampled, else 0.
 */
export function editSample(sample: TokenSample, edit: TokenEdit, sampled: SampledMetadata | null): TokenSample {
  const { removedPrefixCount, insertedIds, appendedIds } = edit;
  const kept = sample.responseIds.length - removedPrefixCount;
  const start = kept + insertedIds.length;
  const added = insertedIds.length + appendedIds.length;
  const zeros: 0[] = new Array(sampled ? insertedIds.length : added).fill(0);
  const responseIds = [...sample.responseIds.slice(0, kept), ...insertedIds, ...appendedIds];
  const spans = sample.spans.flatMap((span) => (span.start < kept ? [{ ...span, end: Math.min(span.end, kept) }] : []));
  if (sampled && appendedIds.length > 0) {
    spans.push(...spansOf(sampled, start, responseIds.length));
  }
  return {
    promptIds: sample.promptIds,
    responseIds,
    responseMask: [
      ...sample.responseMask.slice(0, kept),
      ...zeros,
      ...(sampled ? appendedIds.map(() => 1 as const) : []),
    ],
    responseLogProbs: sample.responseLogProbs && [
      ...sample.responseLogProbs.slice(0, kept),
      ...zeros,
      ...(sampled?.logProbs ?? []),
    ],
    spans,
    ...withMedia(applyToMedia(sample.media ?? [], sample.promptIds.length + sample.responseIds.length, edit)),
  };
}

function spansOf(sampled: SampledMetadata, start: number, end: number): SampledSpan[] {
  const { minWeightVersion, maxWeightVersion, weightVersions } = sampled;
  if (!weightVersions) return [{ start, end, minWeightVersion, maxWeightVersion }];
  return weightVersions.map((run) => ({
    start: start + run.start,
    end: start + run.end,
    minWeightVersion: run.version,
    maxWeightVersion: run.version,
  }));
}

/** Which weights drew which sampled token of the response; null where that is not known of every one. */
export function versionRunsOf({ spans }: TokenSample): VersionRun[] | null {
  const runs: VersionRun[] = [];
  for (const { start, end, minWeightVersion: version, maxWeightVersion } of spans) {
    if (version !== maxWeightVersion) return null;
    const last = runs.at(-1);
    if (last?.version === version && last.end === start) runs[runs.length - 1] = { ...last, end };
    else runs.push({ start, end, version });
  }
  return runs;
}

/** The lowest and the highest version among those that drew a sample's tokens; null where nothing was sampled. */
export function versionsOf({ spans }: TokenSample): { minWeightVersion: number; maxWeightVersion: number } | null {
  if (spans.length === 0) return null;
  return {
    minWeightVersion: Math.min(...spans.map(({ minWeightVersion }) => minWeightVersion)),
    maxWeightVersion: Math.max(...spans.map(({ maxWeightVersion }) => maxWeightVersion)),
  };
}
