import { evictGroups, type PromptGroup, type SamplingMode } from "../../../core/transfer/index.js";
import { type CaseKind, compare } from "../kind.js";

interface StoredGroup {
  readonly uid: string;
  readonly global_steps: number;
  readonly status: PromptGroup["status"];
  readonly trajectories: number;
}

export const staleness: CaseKind = {
  name: "staleness",
  fields: ["mode", "step", "max_off_policy_threshold", "max_off_policy_strategy", "groups"],
  expectFields: ["staleness", "evicted", "refill", "sampleable", "blocked"],
  run(input) {
    const groups = (input.groups as StoredGroup[]).map(({ global_steps, ...group }) => {
      return { ...group, globalSteps: global_steps };
    });
    const result = evictGroups(groups, {
      mode: input.mode as SamplingMode,
      step: input.step as number,
      maxOffPolicyThreshold: input.max_off_policy_threshold as number,
      maxOffPolicyStrategy: input.max_off_policy_strategy as "drop" | "wait",
    });
    const { evicted, refill, sampleable, blocked } = result;
    const actual = { staleness: Object.fromEntries(result.staleness), evicted, refill, sampleable, blocked };
    return compare(input.expect, actual);
  },
};
