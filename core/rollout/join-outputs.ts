import type { TokenOutput, VersionRun } from "./rollout.js";

/**
 * One output of the pieces of a response that was interrupted: tokens and log-probabilities one after the other, each under the
 * weights that drew it. The last piece says how it ended; versions are those of pieces with tokens, where there are any.
 */
export function joinOutputs(pieces: readonly [TokenOutput, ...TokenOutput[]]): TokenOutput {
  const last = pieces[pieces.length - 1];
  const drawn = pieces.filter(({ tokenIds }) => tokenIds.length > 0);
  const versioned = drawn.length > 0 ? drawn : [last];
  const logProbs = joined(drawn, last, "logProbs");
  const sampledLogProbs = joined(drawn, last, "sampledLogProbs");
  const weightVersions = joinedVersions(drawn);
  const preempted = pieces.flatMap(({ numPreempted }) => numPreempted ?? []);
  const interruptions = pieces.reduce((sum, { numInterruptions = 0 }) => sum + numInterruptions, pieces.length - 1);
  const extraFields = Object.assign({}, ...pieces.map((piece) => piece.extraFields)) as Record<string, unknown>;
  return {
    tokenIds: drawn.flatMap(({ tokenIds }) => tokenIds),
    ...(logProbs ? { logProbs } : {}),
    ...(sampledLogProbs ? { sampledLogProbs } : {}),
    stopReason: last.stopReason,
    minWeightVersion: Math.min(...versioned.map(({ minWeightVersion }) => minWeightVersion)),
    maxWeightVersion: Math.max(...versioned.map(({ maxWeightVersion }) => maxWeightVersion)),
    ...(weightVersions ? { weightVersions } : {}),
    ...(preempted.length > 0 ? { numPreempted: preempted.reduce((a, b) => a + b) } : {}),
    ...(interruptions > 0 ? { numInterruptions: interruptions } : {}),
    ...(Object.keys(extraFields).length > 0 ? { extraFields } : {}),
  };
}

/** Null where a piece has tokens and none of these numbers: half a list would belong to other tokens. */
function joined(drawn: readonly TokenOutput[], last: TokenOutput, name: "logProbs" | "sampledLogProbs") {
  const lists = drawn.map((piece) => piece[name]);
  if (lists.length === 0) return last[name] ?? null;
  return lists.every((list) => list !== undefined) ? (lists.flat() as number[]) : null;
}

function joinedVersions(drawn: readonly TokenOutput[]): VersionRun[] | null {
  const runs: VersionRun[] = [];
  let at = 0;
  for (const piece of drawn) {
    const own = versionRuns(piece);
    if (!own) return null;
    for (const { start, end, version } of own) {
      const before = runs.at(-1);
      if (before?.version === version) runs[runs.length - 1] = { ...before, end: at + end };
      else runs.push({ start: at + start, end: at + end, version });
    }
    at += piece.tokenIds.length;
  }
  return runs;
}

/** Which weights drew which token, where the output says so or all are of one version; else null. */
export function versionRuns(output: TokenOutput): readonly VersionRun[] | null {
  const { tokenIds, minWeightVersion: version, maxWeightVersion, weightVersions } = output;
  if (weightVersions || version !== maxWeightVersion) return weightVersions ?? null;
  return tokenIds.length > 0 ? [{ start: 0, end: tokenIds.length, version }] : [];
}
