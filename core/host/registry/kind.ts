import type { Stability } from "./stability.js";

/**
 * The host is generic over kinds: it knows how to collect, check and freeze registrations, not what they are. The typed
 * list of kinds is assembled in `core/kinds.ts`.
 */
export interface Kind<T> {
  /** Singular, as written in manifests' `provides`, e.g. `engine`. */
  readonly name: string;
  /** Keys under which one item is found; several for an engine that serves several devices. */
  keysOf(item: T): readonly string[];
  /** Structural check of an item that came from outside; returns what is missing, or null. */
  check(item: unknown): string | null;
  /** Of the kind's contract, in the plugin API; default `stable`. */
  readonly stability?: Stability;
  /** Members of this item whose own stability counts, such as the hooks of a set. */
  partsOf?(item: T): Readonly<Record<string, Stability>>;
}

/** The write side, given to one plugin during `register` and revoked afterwards. */
export interface Registrar<T> {
  /**
   * Buffered until the plugin commits. A key that somebody else holds is `VERL_PLUGIN_DUPLICATE` unless `override`,
   * which is logged with both owners.
   */
  register(item: T, options?: { readonly override?: boolean }): void;
}

/** Who registered something. */
export interface Owner {
  /** Package name, file, or `verl-ts` for built-ins. */
  readonly name: string;
  readonly version: string;
}

/** The read side, frozen. */
export interface Registry<T> {
  readonly kind: string;
  get(key: string): T | null;
  /** Like `get`, but an unknown key is an error that lists known keys, the nearest one, and plugins that failed to load. */
  require(key: string): T;
  ownerOf(key: string): Owner | null;
  keys(): readonly string[];
  /** Distinct items in registration order. */
  items(): readonly { readonly item: T; readonly keys: readonly string[]; readonly owner: Owner }[];
}
