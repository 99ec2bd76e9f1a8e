import { checkKeys } from "../keys/check-keys.js";
import { problemsError } from "../problems.js";
import type { RunConfig } from "../schema/root.js";
import { composeUser } from "./compose.js";
import type { Env } from "./references.js";
import { type Dict, fromPlain } from "./tree.js";

/** A configuration of which every part may be left out. */
export type PartialConfig = DeepPartial<RunConfig>;
type DeepPartial<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: DeepPartial<T[K]> } : T;

/** A complete configuration from values given in code; the defaults fill the rest. Names and sizes are not checked. */
export function makeConfig(values: PartialConfig = {}, env: Env = {}): RunConfig {
  const tree = fromPlain(values, { kind: "default" }) as Dict;
  const { config, problems } = checkKeys(composeUser(tree, env).tree);
  if (problems.length > 0) throw problemsError(problems);
  return config;
}
