import type { ErrorDetails } from "../errors.js";

/** A synchronous call into code of the user's, with a deadline of its own. */
export interface WatchedCall {
  readonly code: string;
  /** What is called, and for what. */
  readonly label: string;
  readonly fix: string;
  /** Longest run without yielding. */
  readonly deadlineMs: number;
}

/** What is watched while a command runs: that the main thread's event loop turns. */
export interface WatchedLoop {
  /** Longest time that code which is not ours may hold it. */
  readonly deadlineMs: number;
  /** The error goes to standard output, as JSON. */
  readonly json: boolean;
  /** What is left when the process is ended. */
  readonly kept?: RunFolder;
}

/** Where a run keeps its checkpoints, and how it is gone on with. */
export interface RunFolder {
  /** Names the newest complete step. */
  readonly stepFile: string;
  readonly goOn: string;
}

/** Places in {@link Board.state}. */
export const AT = {
  /** Number of the watched call, odd while one runs. */
  call: 0,
  /** Bytes of what is called. */
  callBytes: 1,
  /** 1 where signals have their default action. */
  signals: 2,
  /** Counts while the event loop turns. */
  beats: 3,
  /** 1 where somebody debugs the process. */
  debugged: 4,
  /** How deep the thread is in synchronous parts of the user's code. */
  depth: 5,
  /** Bytes of what was entered last. */
  enteredBytes: 6,
} as const;

/** Shared with the watching thread. */
export interface Board {
  readonly state: Int32Array;
  /** The watched call, as JSON in UTF-8. */
  readonly call: Uint8Array;
  /** What was entered last. */
  readonly entered: Uint8Array;
  readonly exitCode: number;
}

/** Where the watching thread finds what it asks of the main thread: a {@link MainSide} under this name of `globalThis`. */
export const MAIN_KEY = "verl.blocked";

/** Called by the watching thread while the main thread is paused. */
export interface MainSide {
  /** Of the code at this URL, and of whatever runs right now. */
  describe(url: string): Blame;
  /** SIGINT and SIGTERM get their default action: a thread that does not yield hears no signal. */
  dropSignals(): void;
}

export interface Blame {
  /** `file (key)`, where the configuration names the file. */
  readonly file: string | null;
  /** Which call of the user's code runs, across its awaits. */
  readonly label: string | null;
  readonly debugged: boolean;
}

export type BlockedError = Pick<ErrorDetails, "what" | "where" | "why" | "fix" | "also"> & { readonly code: string };

export function newBoard(exitCode: number): Board {
  const bytes = (length: number) => new Uint8Array(new SharedArrayBuffer(length));
  const state = new Int32Array(new SharedArrayBuffer(4 * Object.keys(AT).length));
  return { state, call: bytes(4096), entered: bytes(512), exitCode };
}
