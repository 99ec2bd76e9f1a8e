/** Public entry of the configuration room: schema, composition, overrides, validation, explanation. */
export { configKeys, configSections, type KeyEntry, type SectionEntry } from "./catalogue.js";
export { checkKeys } from "./check-keys.js";
export { checkNames, offeredNames } from "./check-names.js";
export {
  type ComposedConfig,
  type ComposeOptions,
  composeAnyway,
  composeConfig,
  composeDocument,
  composeUser,
  ENV_KEYS,
} from "./compose.js";
export { makeConfig, type PartialConfig } from "./defaults.js";
export { type Deprecation, type Since, sinceText, type Until, untilText } from "./deprecation.js";
export { diffConfigs, type KeyDifference } from "./diff.js";
export { configErrors } from "./errors.js";
export { explainKey, type KeyExplanation } from "./explain.js";
export { type HubReference, parseHubReference } from "./hub-reference.js";
export { type KnownKey, knownKeys, removedKeys } from "./known-keys.js";
export { type HubModel, hubModels } from "./named-files.js";
export { searchKeys } from "./nearest.js";
export type { PluginSchema } from "./plugin-schemas.js";
export { printConfig, printedSources } from "./print.js";
export { type Notice, type Problem, problemOf, problemsError, restsOn } from "./problems.js";
export { type Env, resolveReferences } from "./references.js";
export { type RenamedKey, renamedKeys } from "./renamed-keys.js";
export type { Rule } from "./rules.js";
export { planRun, type RunPlan } from "./run-plan.js";
export { saveConfig } from "./saved-config.js";
export type { KeyInfo } from "./schema/key.js";
export type { RunConfig } from "./schema/root.js";
export { isSecretName, MASK, maskSecrets, shownVariable } from "./secrets.js";
export { adapterUsed, criticUsed, referenceUsed } from "./size-rules.js";
export { sourceOfKey } from "./source-of-key.js";
export {
  type Dict,
  fromPlain,
  isSet,
  type Node,
  nodeAt,
  type Source,
  sourceOf,
  sourceText,
  toPlain,
  valueText,
} from "./tree.js";
export {
  type ConfigFindings,
  inspectConfig,
  type ValidatedConfig,
  type ValidateOptions,
  validateConfig,
} from "./validate.js";
export { parseYaml, readYaml } from "./yaml.js";
