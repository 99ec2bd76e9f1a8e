import { type Dict, isSecretName, MASK, maskSecrets, printedSources, toPlain } from "../../core/config/index.js";
import type { JsonValue } from "../../core/plugin.js";
import { type SettingComparison, settingsThatDiffer } from "../compare/comparison.js";

/** One value of a configuration. */
export interface Setting {
  readonly key: string;
  readonly value: JsonValue;
  /** Who set it; `default` where nobody did. */
  readonly source: string;
}

/** Every value of a saved configuration with its source; what looks like a secret is masked, also where a run did not. */
export function settingsOf({ text, tree }: { readonly text: string; readonly tree: Dict }): Setting[] {
  const sources = printedSources(text);
  return flat(maskSecrets(toPlain(tree)), "").map(([key, value]) => ({
    key,
    value,
    source: sources.get(key) ?? "default",
  }));
}

/** A key on which configurations differ. */
export interface SettingDifference {
  readonly key: string;
  /** One per configuration; null where it has no such key. */
  readonly values: readonly ({ readonly value: JsonValue } | null)[];
}

/** Keys on which any of the configurations differs from the first. */
export function settingDifferences(configs: readonly (Dict | null)[]): SettingDifference[] {
  return settingsThatDiffer(configs.map((config) => ({ config }))).map(masked);
}

function masked({ key, values }: SettingComparison): SettingDifference {
  // A secret shows by any name on its path.
  const secret = key.split(".").some(isSecretName);
  const shown = (value: JsonValue) => (secret && value !== null && value !== "" ? MASK : maskSecrets(value));
  return { key, values: values.map((value) => (value === undefined ? null : { value: shown(value) })) };
}

function flat(value: JsonValue, prefix: string): [string, JsonValue][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[prefix, value]];
  const entries = Object.entries(value as Record<string, JsonValue>);
  if (entries.length === 0 && prefix !== "") return [[prefix, value]];
  return entries.flatMap(([name, item]) => flat(item, prefix === "" ? name : `${prefix}.${name}`));
}
