import type { Awaitable, CallOptions, Logger } from "../host/types.js";

/**
 * What a program may use. Each limit holds for the program and everything that it starts, together, unless it says
 * otherwise.
 */
export interface SandboxLimits {
  /** Milliseconds from the program's start to its end. */
  readonly wallMs: number;
  /** Milliseconds of processor time. */
  readonly cpuMs: number;
  /** Memory that is really used (not address space), in MiB. Files do not count. */
  readonly memoryMiB: number;
  /** Processes and threads at a time. */
  readonly processes: number;
  /** Everything written to disk, in MiB. */
  readonly filesMiB: number;
  /** Bytes on standard output, and as many on standard error. */
  readonly outputBytes: number;
}

/** A program to run. It starts in an empty folder of its own that holds its files, and has no network. */
export interface SandboxRequest {
  /** One of {@link Sandbox.languages}. */
  readonly language: string;
  /** The main program. */
  readonly code: string;
  /** Further files by path inside the folder (`data/in.txt`), there before the program starts. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly argv?: readonly string[];
  readonly stdin?: string | Uint8Array;
  /** Where they differ from the sandbox's. */
  readonly limits?: Partial<SandboxLimits>;
  /** Files of the folder to hand back, by path. Only regular files: links are not followed. */
  readonly collect?: readonly string[];
}

/**
 * How a program ended. `ok`: exit code 0. `exit`: another one. `signal`: killed by a signal, its own doing or the
 * kernel's. `compile-error`: it never started (languages with a compiler). The others name the limit that ended it:
 * `timeout` (wall clock or processor), `memory`, `output-limit`. Limits on processes and files end nothing: the program's
 * call fails, and the program decides.
 */
export type SandboxOutcome = "ok" | "exit" | "signal" | "timeout" | "memory" | "output-limit" | "compile-error";

export interface SandboxResult {
  readonly outcome: SandboxOutcome;
  /** Of a program that ended by itself, else null. */
  readonly exitCode: number | null;
  /** Name of the signal that ended the program (`SIGSEGV`), else null. */
  readonly signal: string | null;
  /** What it wrote, up to the limit; bytes that are not UTF-8 are replaced by U+FFFD. */
  readonly stdout: string;
  readonly stderr: string;
  /** Whether something was cut off. */
  readonly truncated: { readonly stdout: boolean; readonly stderr: boolean };
  readonly wallMs: number;
  /** Null where the sandbox does not measure it. */
  readonly cpuMs: number | null;
  /** The files asked for by `collect` that exist, up to `filesMiB`. */
  readonly files: Readonly<Record<string, Uint8Array>>;
}

/**
 * Runs programs that nobody has read. Whatever a program does is a result; only what is not its doing (a bad request, a
 * broken sandbox) is an error with a code.
 */
export interface Sandbox {
  readonly name: string;
  readonly languages: readonly string[];
  /** Programs at a time; further calls of `run` wait, and their limits do not count yet. */
  readonly maxConcurrent: number;
  /** When it settles nothing of the program is left: no process, no file. An abort ends it and rejects with the reason. */
  run(request: SandboxRequest, options?: CallOptions): Promise<SandboxResult>;
  /** Ends what is running; `run` rejects with `VERL_SANDBOX_CLOSED` from then on. */
  close(): Promise<void>;
}

export interface SandboxOptions {
  /** Limits of requests that name none. */
  readonly limits: SandboxLimits;
  /** 0: as many as there are processors. */
  readonly maxConcurrent: number;
  /** Options of the implementation (`reward.sandbox.options`). */
  readonly extra: Readonly<Record<string, unknown>>;
  readonly logger: Logger;
}

/** Whether a sandbox can be used here. `reason` says what exactly is missing, `fix` what to do about it. */
export type SandboxProbe =
  | {
      readonly available: true;
      readonly languages: readonly string[];
      /** Of a service: how far its clock is ahead of this machine's, in ms. */
      readonly skewMs?: number;
    }
  | { readonly available: false; readonly reason: string; readonly fix?: string };

/** Registered under the name that the configuration uses (`reward.sandbox.name`). */
export interface SandboxFactory {
  readonly name: string;
  /** What isolates programs, in words: the mechanism of the operating system, or the service that is trusted with it. */
  readonly mechanism: string;
  /** Tries the mechanism. Never throws and leaves nothing behind. */
  probe(options?: Pick<SandboxOptions, "extra">): Promise<SandboxProbe>;
  /** Rejects with `VERL_SANDBOX_UNAVAILABLE` where the probe would say so: there is no weaker fallback. */
  create(options: SandboxOptions): Awaitable<Sandbox>;
}
