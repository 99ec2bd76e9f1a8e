import { rewardErrors } from "../errors.js";
import type { RewardManagerOptions, Scorer } from "../reward.js";

export type ChosenScorer = Pick<Scorer, "name" | "score" | "sandboxLanguage">;

/** What scores rows of a data source: the user's function where there is one, else the registered scorer. */
export function scorerChoice(
  options: Pick<RewardManagerOptions, "customFunction" | "findScorer" | "knownDataSources">,
): (dataSource: string) => ChosenScorer {
  const { customFunction, findScorer, knownDataSources: known } = options;
  if (customFunction) return () => ({ name: "function", score: customFunction });
  return (dataSource) => {
    const scorer = findScorer(dataSource);
    if (scorer) return scorer;
    throw rewardErrors.VERL_REWARD_NO_SCORER({
      what: `no scorer for the data source "${dataSource}"`,
      why: known.length > 0 ? `known data sources: ${known.join(", ")}` : "no scorer is registered",
    });
  };
}
