/** Small types that every room shares. */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Options of every call that may take long. Aborting rejects with the signal's reason. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Where diagnostic lines go; never to standard output, which belongs to results. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** What a process does in a run. Plugins may restrict themselves to some roles with the manifest's `processes`. */
export type ProcessRole = "driver" | "trainer" | "rollout" | "reward" | "agent";

/** A value that is either at hand or being made. */
export type Awaitable<T> = T | Promise<T>;
