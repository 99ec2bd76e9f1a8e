import { rewardErrors } from "./errors.js";
import type { Scorer } from "./reward.js";

export interface ScorerIndex {
  /** The scorer of a data source: an exact name wins over prefixes, a longer prefix over a shorter one. */
  find(dataSource: string): Scorer | null;
  /** Every name and prefix (`aime*`), sorted. */
  readonly knownDataSources: readonly string[];
}

/** Finds scorers by the `dataSources` that they name. */
export function createScorerIndex(scorers: Iterable<Scorer>): ScorerIndex {
  const byPattern = new Map<string, Scorer>();
  for (const scorer of scorers) {
    for (const pattern of scorer.dataSources) {
      const other = byPattern.get(pattern);
      if (other && other !== scorer) {
        throw rewardErrors.VERL_REWARD_AMBIGUOUS_SCORER({
          what: `the scorers "${other.name}" and "${scorer.name}" both claim the data source "${pattern}"`,
        });
      }
      byPattern.set(pattern, scorer);
    }
  }
  const prefixes = [...byPattern]
    .filter(([pattern]) => pattern.endsWith("*"))
    .map(([pattern, scorer]) => ({ prefix: pattern.slice(0, -1), scorer }))
    .sort((a, b) => b.prefix.length - a.prefix.length);
  return {
    find: (dataSource) =>
      byPattern.get(dataSource) ?? prefixes.find(({ prefix }) => dataSource.startsWith(prefix))?.scorer ?? null,
    knownDataSources: [...byPattern.keys()].sort(),
  };
}
