/** Public entry of the configuration room: schema, composition, overrides, validation, explanation. */

export {
  type ComposedConfig,
  type ComposeOptions,
  composeAnyway,
  composeConfig,
  composeDocument,
  composeUser,
  ENV_KEYS,
} from "./compose/compose.js";
export { makeConfig, type PartialConfig } from "./compose/defaults.js";
export { type Env, resolveReferences } from "./compose/references.js";
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
} from "./compose/tree.js";
export { parseYaml, readYaml } from "./compose/yaml.js";
export { diffConfigs, type KeyDifference } from "./diff.js";
export { configErrors } from "./errors.js";
export { type HubReference, parseHubReference } from "./hub-reference.js";
export { configKeys, configSections, type KeyEntry, type SectionEntry } from "./keys/catalogue.js";
export { checkKeys } from "./keys/check-keys.js";
export { checkNames, offeredNames } from "./keys/check-names.js";
export { type Deprecation, type Since, sinceText, type Until, untilText } from "./keys/deprecation.js";
export { explainKey, type KeyExplanation } from "./keys/explain.js";
export type { KnownKey } from "./keys/known-key.js";
export type { PluginSchema } from "./keys/plugin-schemas.js";
export { removedKeys } from "./keys/removed-keys.js";
export { type RenamedKey, renamedKeys } from "./keys/renamed-keys.js";
export { sourceOfKey } from "./keys/source-of-key.js";
export { knownKeys } from "./keys/verl-keys.js";
export { type HubModel, hubModels } from "./named-files.js";
export { searchKeys } from "./nearest.js";
export { printConfig, printedSources } from "./print.js";
export { type Notice, type Problem, problemOf, problemsError, restsOn } from "./problems.js";
export type { Rule } from "./rules/rules.js";
export { adapterUsed, criticUsed, referenceUsed } from "./rules/size-rules.js";
export { planRun, type RunPlan } from "./run-plan.js";
export { saveConfig } from "./saved-config.js";
export type { KeyInfo } from "./schema/key.js";
export type { RunConfig } from "./schema/root.js";
export { isSecretName, MASK, maskSecrets, shownVariable } from "./secrets.js";
export {
  type ConfigFindings,
  inspectConfig,
  type ValidatedConfig,
  type ValidateOptions,
  validateConfig,
} from "./validate.js";
