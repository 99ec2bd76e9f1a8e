import type { RewardFunction } from "verl-ts";

/**
 * 1 for the right letter and nothing more, 0.5 if more follows it, else 0. Partial credit gives a model of random weights something
 * to find. Values beside `score` are logged in validation as `val-aux/next-letter/NAME/…`.
 */
export const computeScore: RewardFunction = ({ solution, groundTruth }) => {
  const isFirst = solution.charAt(0) === groundTruth;
  const isExact = solution === groundTruth;
  return { score: isExact ? 1 : isFirst ? 0.5 : 0, acc: isExact ? 1 : 0 };
};
