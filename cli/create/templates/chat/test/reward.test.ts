import assert from "node:assert/strict";
import { it } from "node:test";
import type { RewardFunction } from "verl-ts";
import { computeScore } from "../reward.ts";

const scoreOf = async (solution: string) => {
  const input = { solution, groundTruth: "12", dataSource: "sums", extraInfo: {}, kwargs: {} };
  const result = await computeScore(input as Parameters<RewardFunction>[0]);
  return typeof result === "object" && result !== null ? result.score : result;
};

it("wants the right number in the right form", async () => {
  assert.equal(await scoreOf("Five and seven are twelve.\nAnswer: 12"), 1);
});

it("gives a little for the form", async () => {
  assert.equal(await scoreOf("Answer: 13"), 0.1);
});

it("gives nothing without it", async () => {
  for (const solution of ["", "12", "Answer: 12 of them"]) assert.equal(await scoreOf(solution), 0);
});
