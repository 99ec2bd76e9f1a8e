import type { Since } from "./deprecation.js";

/**
 * Keys of verl that are not part of the schema. They count as existing, so that a verl user's files and overrides carry
 * over. `noEffect`: accepted, reported once. `unsupported`: accepted with a value that changes nothing (listed), an error
 * with any other, because ignoring it would change results.
 */
export interface KnownKey {
  readonly key: string;
  /** Default in verl. */
  readonly verl: unknown;
  readonly note: string;
  /** Values that change nothing; absent: any value. */
  readonly allowed?: readonly unknown[];
  /** The whole section, with whatever keys it has. */
  readonly section?: true;
  /** Of a key that verl itself has no more: since when, and what took its place, if something did. */
  readonly removed?: { readonly since: Since; readonly instead?: string };
}

export const noEffect = (note: string, values: Record<string, unknown>): KnownKey[] =>
  Object.entries(values).map(([key, verl]) => ({ key, verl, note }));
export const sections = (note: string, ...keys: string[]): KnownKey[] =>
  keys.map((key) => ({ key, verl: {}, note, section: true as const }));
export const unsupported = (note: string, values: Record<string, readonly [unknown, ...unknown[]]>): KnownKey[] =>
  Object.entries(values).map(([key, allowed]) => ({ key, verl: allowed[0], note, allowed }));
/** Keys of older versions of verl. `allowed` as in `unsupported`; without it any value is passed over. */
export const removed = (
  since: Since,
  keys: Record<string, { verl: unknown; note: string; instead?: string; allowed?: readonly unknown[] }>,
): KnownKey[] =>
  Object.entries(keys).map(([key, { instead, ...entry }]) => ({
    key,
    ...entry,
    removed: { since, ...(instead ? { instead } : {}) },
  }));
export const under = <T>(prefix: string, values: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`${prefix}.${key}`, value]));

export const ACTOR = "actor_rollout_ref.actor";
export const REF = "actor_rollout_ref.ref";
export const ROLLOUT = "actor_rollout_ref.rollout";
export const MODEL = "actor_rollout_ref.model";
export const serverOption = "an option of verl's GPU servers; a server's own options are under rollout.engine_kwargs";
export const modelOption = "an option of verl's PyTorch models";
