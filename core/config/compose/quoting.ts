import { shownOverride } from "../secrets.js";

/** A text in the grammar of overrides, whatever it holds. */
export const quotedText = (text: string): string => `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1")}"`;

/** One word of a shell that is taken as it stands. */
const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * An override as it must be typed for its value to be text: `'trainer.experiment_name="nan"'`. The outer quotes are the shell's,
 * which would take the inner ones for its own. With `item`, that item of a list is meant. Null where quotes would not help or the
 * value is a secret.
 */
export function asTyped(override: string, item: number | null = null): string | null {
  const at = override.indexOf("=");
  const value = override.slice(at + 1).trim();
  if (at < 0 || value.includes("${") || shownOverride(override) !== override) return null;
  const quoted = item === null ? quotedText(value) : quotedItem(value, item);
  return quoted === null ? null : shellWord(`${override.slice(0, at + 1).trim()}${quoted}`);
}

/** `[a, "1"]` of `[a, 1]`; only of lists of plain words. */
function quotedItem(list: string, item: number): string | null {
  const inner = /^\[([^[\]{}"'\\]*)\]$/.exec(list)?.[1].split(",");
  if (inner === undefined || item >= inner.length) return null;
  return `[${inner.map((text, i) => (i === item ? quotedText(text.trim()) : text.trim())).join(", ")}]`;
}
