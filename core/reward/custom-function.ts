import { rewardErrors } from "./errors.js";
import type { RewardFunction } from "./reward.js";

/**
 * The reward function in a user's module, under `reward.custom_reward_function.name`. The module's default export may
 * hold it too (CommonJS).
 */
export function customRewardFunction(
  module: Readonly<Record<string, unknown>>,
  source: { readonly path: string; readonly name: string },
): RewardFunction {
  const { path, name } = source;
  const found = module[name] ?? (module.default as Record<string, unknown> | undefined)?.[name];
  if (typeof found === "function") return found as RewardFunction;
  const exports = Object.keys(module).filter((key) => key !== "default" && key !== "module.exports");
  throw rewardErrors.VERL_REWARD_BAD_FUNCTION({
    what:
      found === undefined
        ? `there is no export "${name}"`
        : `the export "${name}" is a ${typeof found}, not a function`,
    where: path,
    why: exports.length > 0 ? `the file exports ${exports.join(", ")}` : "the file exports nothing by name",
  });
}
