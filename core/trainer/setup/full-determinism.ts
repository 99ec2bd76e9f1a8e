import type { RunConfig } from "../../config/run-config.js";

/** Servers are picked by what they are asked, not by what else is under way: by configuration, or by verl's variable. */
export function isFullyDeterministic(
  { actor_rollout_ref }: Pick<RunConfig, "actor_rollout_ref">,
  env: NodeJS.ProcessEnv = process.env,
): boolean {
  return actor_rollout_ref.rollout.full_determinism || env.VERL_FULL_DETERMINISM === "1";
}
