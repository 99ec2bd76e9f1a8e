import { mergeTrajectories } from "../../../core/agent/index.js";
import { type CaseKind, compare } from "../kind.js";

interface StoredStep {
  readonly prompt: number[];
  readonly completion: number[];
  readonly logprobs?: number[];
}

export const mergeTrajectoriesKind: CaseKind = {
  name: "merge_trajectories",
  fields: ["steps"],
  expectFields: ["samples"],
  run({ steps, expect }) {
    const calls = (steps as StoredStep[]).map(({ logprobs, ...call }) => ({ ...call, logProbs: logprobs }));
    const samples = mergeTrajectories(calls).map((sample) => ({
      prompt_ids: sample.promptIds,
      response_ids: sample.responseIds,
      response_mask: sample.responseMask,
      ...(sample.responseLogProbs ? { response_logprobs: sample.responseLogProbs } : {}),
    }));
    return compare(expect.samples, samples);
  },
};
