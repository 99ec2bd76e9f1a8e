import assert from "node:assert/strict";
import { it } from "node:test";
import type { RewardFunction } from "verl-ts";
import { computeScore } from "../reward.ts";

const scoreOf = async (solution: string) => {
  const input = { solution, groundTruth: "b", dataSource: "next-letter", extraInfo: {}, kwargs: {} };
  const result = await computeScore(input as Parameters<RewardFunction>[0]);
  return typeof result === "object" && result !== null ? result.score : result;
};

it("wants the letter and nothing more", async () => {
  assert.equal(await scoreOf("b"), 1);
});

it("gives less the more stands behind the letter", async () => {
  assert.equal(await scoreOf("bx"), 0.5);
  assert.equal(await scoreOf("bxyz"), 0.25);
});

it("gives nothing for anything else", async () => {
  for (const solution of ["", "x", "xb"]) assert.equal(await scoreOf(solution), 0);
});
