import type { JsonValue } from "../host/types.js";

/** What stands in the place of a secret. */
export const MASK = "********";
const SECRET_KEY =
  /(^|[_.-])(api_?key|access_?key|private_?key|secret(_?key)?|password|passwd|passphrase|(auth|access|bearer|refresh|hf|api)?_?token|authorization|credentials?)$/i;
const CREDENTIALS_IN_URL = /([a-z][a-z0-9+.-]{0,31}:\/\/)[^\s/@:]+(:[^\s/@]*)?@/gi;

/** Whether a key or an environment variable of this name holds a secret. */
export const isSecretName = (name: string): boolean => SECRET_KEY.test(name);

/** What names a variable of the environment, as opposed to a key that somebody typed in its place. */
const VARIABLE = /^([A-Z_][A-Z0-9_]{0,63}|[a-z_][a-z0-9_]{0,19})$/;

/** Of a variable that holds a secret: its name, or a mask if it looks like the secret itself. */
export const shownVariable = (name: string): string => (VARIABLE.test(name) ? name : MASK);

/** Whether the text of a value must not be shown: under the name of a secret, or a secret where a variable's name belongs. */
export function holdsSecret(key: string, text: string): boolean {
  const named = key.replace(/_env$/i, "");
  return isSecretName(named) && (named === key || shownVariable(text) === MASK);
}

/** An override as messages show it. */
export function shownOverride(text: string): string {
  const at = text.indexOf("=");
  const key = text
    .slice(0, at)
    .replace(/^[\s+~]+/, "")
    .trim();
  return at > 0 && holdsSecret(key, text.slice(at + 1).trim()) ? `${text.slice(0, at + 1)}${MASK}` : text;
}

/**
 * A copy that is safe to print, log and store: texts under names such as `api_key`, `token`, `password`, texts that came
 * from an environment variable of such a name, and credentials inside URLs are masked.
 */
export function maskSecrets(value: JsonValue, env: Readonly<Record<string, string | undefined>> = {}): JsonValue {
  const values = Object.entries(env)
    .filter(([name, text]) => isSecretName(name) && text !== undefined && text.length >= 6)
    .map(([, text]) => text as string);
  return mask(value, false, values);
}

function mask(value: JsonValue, secret: boolean, values: readonly string[]): JsonValue {
  if (typeof value === "string") {
    if (secret && value !== "") return MASK;
    const shown = values.reduce((text, hidden) => text.replaceAll(hidden, MASK), value);
    return shown.replace(CREDENTIALS_IN_URL, `$1${MASK}@`);
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mask(item, secret, values));
  const entries = Object.entries(value as Record<string, JsonValue>);
  return Object.fromEntries(entries.map(([key, item]) => [key, mask(item, secret || isSecretName(key), values)]));
}
