/** A pair from one group of responses, by index within the group. */
export interface PreferencePair {
  readonly chosen: number;
  readonly rejected: number;
}

/**
 * Online preference pairs: best against worst of a group, the first of equals; null without contrast. (SPIN, 2401.01335:
 * chosen = the demonstration instead, reference = the previous iteration's policy.)
 */
export function pairOf(scores: readonly number[]): PreferencePair | null {
  let [chosen, rejected] = [0, 0];
  scores.forEach((score, i) => {
    if (score > scores[chosen]) chosen = i;
    if (score < scores[rejected]) rejected = i;
  });
  return scores.length > 0 && scores[chosen] > scores[rejected] ? { chosen, rejected } : null;
}
