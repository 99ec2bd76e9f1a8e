import { type ComposedConfig, checkKeys, type Problem } from "../../core/config/index.js";
import { type CommandIo, hasPlugins } from "../program/io.js";

/** Keys and values that are wrong in themselves. Nothing is loaded here, so where plugins are named a key may be theirs. */
export function wrongKeys(composed: ComposedConfig, io: CommandIo): readonly Problem[] {
  const { problems } = checkKeys(composed.tree);
  const isAlone = composed.plugins.length === 0 && !hasPlugins(io);
  return problems.filter(({ code }) => isAlone || code !== "VERL_CONFIG_UNKNOWN_KEY");
}
