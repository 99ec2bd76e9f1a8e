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

/** One finding of `verl doctor`. */
export interface Diagnosis {
  /** What was looked at, e.g. `onnxruntime`. */
  readonly name: string;
  /** `warning`: it works, with something to know. `failed`: what depends on it will not work. */
  readonly status: "ok" | "warning" | "failed";
  /** What was found, in words. */
  readonly detail: string;
  readonly fix?: string;
  /** Of a server that answered: how far its clock is ahead of this machine's, in ms, to about a second. */
  readonly skewMs?: number;
}

/** How `verl doctor` looks at what the configuration names. */
export interface DiagnoseOptions {
  /** Base of relative paths. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Longest wait for one answer, in ms. */
  readonly timeoutMs: number;
}
