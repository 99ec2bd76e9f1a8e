import type { RewardFunction } from "verl-ts";

/**
 * 1 for the right letter and nothing more, less the more follows it, else 0. Partial credit gives a model of random weights something
 * to find, and a reason to stop. Values beside `score` are logged in validation as `val-aux/next-letter/NAME/…`.
 */
export const computeScore: RewardFunction = ({ solution, groundTruth }) => {
  const isFirst = solution.charAt(0) === groundTruth;
  return { score: isFirst ? 1 / solution.length : 0, acc: solution === groundTruth ? 1 : 0 };
};
