import type { JsonValue } from "../../host/types.js";
import type { ComposedConfig } from "../compose/compose.js";
import { nodeAt, sourceOf, sourceText, toPlain } from "../compose/tree.js";
import { configErrors } from "../errors.js";
import { nearestKeys, suggestKey } from "../nearest.js";
import { configKeys, findKey, findSection, type KeyEntry, openSectionOf } from "./catalogue.js";
import type { Deprecation } from "./deprecation.js";
import { knownKey } from "./find-key.js";
import { renamed } from "./renamed-keys.js";

/** What can be said about one key. */
export interface KeyExplanation {
  readonly key: string;
  /** `key` has a meaning here, `open` lies in a section whose keys are somebody else's, `known` is verl's and has none, `renamed` moved, `removed` is in no present version of verl. */
  readonly status: "key" | "open" | "section" | "known" | "renamed" | "removed";
  readonly description: string;
  readonly type?: string;
  readonly unit?: string;
  readonly default?: JsonValue;
  readonly value?: JsonValue;
  readonly source?: string;
  /** Where the default is not verl's. */
  readonly differs?: { readonly verl?: JsonValue; readonly why: string };
  readonly registry?: string;
  readonly movedTo?: string;
  /** Of a renamed or removed key, for people and programs alike. */
  readonly deprecation?: Deprecation;
  /** Of a section: what it holds. */
  readonly keys?: readonly string[];
}

/** Explains a key, with its value and source in the composed configuration. Unknown keys are an error with the nearest name. */
export function explainKey(key: string, composed: ComposedConfig): KeyExplanation {
  const path = key.split(".");
  const node = nodeAt(composed.tree, path);
  const at = node ? { value: toPlain(node), source: sourceText(sourceOf(node)) } : {};
  const entry = findKey(key);
  if (entry) return { ...describe(entry), ...at };
  const open = openSectionOf(path);
  if (open) return { key, status: "open", description: `Belongs to ${open.key}: ${open.description}`, ...at };
  const section = findSection(key);
  if (section) {
    const keys = configKeys
      .filter((candidate) => candidate.key.startsWith(`${key}.`))
      .map((candidate) => candidate.key);
    return { key, status: "section", description: section.description, keys };
  }
  const now = renamed(path);
  if (now) {
    const movedTo = now.path.join(".");
    const { since, until } = now.entry;
    const means = findKey(movedTo)?.description ?? findSection(movedTo)?.description;
    const description = `Moved to ${movedTo}.${means ? ` ${means}` : ""}`;
    const deprecation = { kind: "renamed", key, instead: movedTo, since, until } as const;
    return { key, status: "renamed", description, movedTo, deprecation };
  }
  const known = knownKey(path);
  if (known) {
    const effect = known.allowed
      ? `Only ${known.allowed.map((v) => JSON.stringify(v)).join(" or ")} is accepted`
      : "No effect here";
    const description = `${effect}: ${known.note}.`;
    if (!known.removed) return { key, status: "known", description, ...at };
    return { key, status: "removed", description, ...at, deprecation: { kind: "removed", key, ...known.removed } };
  }
  throw configErrors.VERL_CONFIG_UNKNOWN_KEY({
    what: `There is no key ${key}.${suggestKey(path)}`,
    data: { key, nearest: nearestKeys(path) },
  });
}

function describe(entry: KeyEntry): KeyExplanation {
  const { key, description, typeText, unit, differs, registry } = entry;
  return {
    key,
    status: "key",
    description,
    type: typeText,
    ...(unit ? { unit } : {}),
    default: (entry.default ?? null) as JsonValue,
    ...(differs ? { differs: differs as KeyExplanation["differs"] } : {}),
    ...(registry ? { registry } : {}),
  };
}
