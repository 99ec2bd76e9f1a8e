import type { RunConfig } from "../../config/run-config.js";
import type { PlanFinding } from "../../engine/plan-check.js";
import type { PlanOwner } from "./plan-keys.js";

/** The longest sequence that somebody gets, and what its model takes. */
export interface PlannedLength {
  readonly owner: PlanOwner;
  readonly longest: number;
  readonly positions: number;
  /** The key that sets the length for this one alone; null: that of prompts and responses. */
  readonly key: string | null;
}

/** Sequences that are longer than models have positions: one finding for all that get the run's. */
export function longSequences(
  lengths: readonly PlannedLength[],
  { actor_rollout_ref: { rollout } }: RunConfig,
): (PlanFinding & { readonly key: string })[] {
  const tooLong = lengths.filter(({ longest, positions }) => longest > positions);
  const level = "problem" as const;
  const own = tooLong.flatMap(({ key, longest, positions, owner }) =>
    key === null
      ? []
      : [
          {
            ...{ level, key, option: "maxModelLen", code: "VERL_CONFIG_SIZES" as const },
            what: `${key} = ${longest} tokens, and the model has ${positions} positions (${owner}).`,
            fix: `Set it to at most ${positions}.`,
          },
        ],
  );
  const shared = tooLong.filter(({ key }) => key === null);
  if (shared.length === 0) return own;
  const { prompt_length: prompt, response_length: response } = rollout;
  const byPositions = grouped(shared);
  const models = [...byPositions].map(
    ([positions, ones]) => `${positions} positions (${ones.map(({ owner }) => owner).join(", ")})`,
  );
  const fewest = Math.min(...byPositions.keys());
  const left = fewest - prompt;
  return [
    ...own,
    {
      ...{ level, key: "data.max_response_length", option: "work.longest", code: "VERL_CONFIG_SIZES" as const },
      what: `data.max_prompt_length + data.max_response_length = ${prompt} + ${response} = ${prompt + response} tokens, and the model has ${models.join(", ")}.`,
      fix:
        left > 0
          ? `Set data.max_response_length to at most ${left}, lower data.max_prompt_length, or take a model of more positions.`
          : "Lower data.max_prompt_length and data.max_response_length, or take a model of more positions.",
    },
  ];
}

function grouped(lengths: readonly PlannedLength[]): Map<number, PlannedLength[]> {
  const groups = new Map<number, PlannedLength[]>();
  for (const length of lengths) groups.set(length.positions, [...(groups.get(length.positions) ?? []), length]);
  return groups;
}
