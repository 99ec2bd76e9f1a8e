import { ownCopy } from "../host/util/own-copy.js";
import type { RewardInput } from "./reward.js";

/** The same trajectory for code that may change what it is given: the row is the data set's, and others are scored with it. */
export function ownInput(input: RewardInput): RewardInput {
  const { groundTruth, extraInfo, messages, row } = input;
  return { ...input, ...ownCopy({ groundTruth, extraInfo, messages, row }) };
}
