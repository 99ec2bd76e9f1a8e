import { createHash } from "node:crypto";
import { pluginErrors } from "../plugin-errors.js";

/**
 * What a process ended up with: for each kind the sorted list of `key owner@version`. Plugins that only some processes
 * load, and the user's own files, are left out, so that every process of a run has the same.
 */
export interface Fingerprint {
  readonly hash: string;
  readonly kinds: Readonly<Record<string, readonly string[]>>;
}

export function fingerprintOf(kinds: Readonly<Record<string, readonly string[]>>): Fingerprint {
  const text = JSON.stringify(Object.entries(kinds).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { hash: createHash("sha256").update(text).digest("hex"), kinds };
}

/** Throws `VERL_PLUGIN_FINGERPRINT`, which lists what only one side has. */
export function checkFingerprint(
  expected: Fingerprint,
  actual: Fingerprint,
  names: { expected: string; actual: string },
): void {
  if (expected.hash === actual.hash) return;
  const differences = [
    ...only(expected, actual).map((line) => `only ${names.expected} has ${line}`),
    ...only(actual, expected).map((line) => `only ${names.actual} has ${line}`),
  ];
  throw pluginErrors.VERL_PLUGIN_FINGERPRINT({
    what: `The registries of ${names.actual} are not those of ${names.expected}.`,
    why: differences.join("; "),
    data: { differences },
  });
}

function only(one: Fingerprint, other: Fingerprint): string[] {
  return Object.entries(one.kinds).flatMap(([kind, lines]) =>
    lines.filter((line) => !other.kinds[kind]?.includes(line)).map((line) => `${kind} ${line}`),
  );
}
