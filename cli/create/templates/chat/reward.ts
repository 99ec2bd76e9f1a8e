import type { RewardFunction } from "verl-ts";

const ANSWER = /Answer:\s*(-?\d+)\s*$/;

/** 1 for the right number in the right form, 0.1 for the form alone. Values beside `score` are logged in validation. */
export const computeScore: RewardFunction = ({ solution, groundTruth }) => {
  const [, answer] = ANSWER.exec(solution) ?? [];
  const format = answer === undefined ? 0 : 1;
  const acc = answer === groundTruth ? 1 : 0;
  return { score: acc === 1 ? 1 : 0.1 * format, acc, format, pred: answer ?? "" };
};
