import { isMainThread, Worker } from "node:worker_threads";
import { WATCHDOG_EXIT_CODE } from "./watchdog.js";

/** A call into code of the user's that may hold the thread. */
export interface WatchedCall {
  readonly code: string;
  /** What is called, and for what. */
  readonly label: string;
  readonly fix: string;
  /** Longest run without yielding. */
  readonly deadlineMs: number;
}

/** Room for what is called, as JSON in UTF-8; a longer label is cut. */
const LABEL_BYTES = 4096;
const LABEL_CHARS = 600;
/** Where the watching thread leaves the listeners that it took off. */
export const SIGNALS_KEY = "verl.signals";

/** Shared with the watching thread. */
export interface CallBoard {
  /** [number of the call, odd while one runs; bytes of the text; 1 where signals have their default action] */
  readonly state: Int32Array;
  readonly text: Uint8Array;
  readonly exitCode: number;
}

let board: CallBoard | null = null;
const encoder = new TextEncoder();

/**
 * Calls `call`; its synchronous part is watched by a thread of its own, for no timer and no signal gets through to a thread
 * that computes for ever. After a while without yielding the thread says so and gives SIGINT and SIGTERM their default
 * action; after the deadline it names the place and ends the process with {@link WATCHDOG_EXIT_CODE}. In a worker thread
 * nothing is watched: who owns it can end it.
 */
export function watchCall<T>(watched: () => WatchedCall, call: () => T): T {
  if (!isMainThread) return call();
  board ??= start();
  const { state, text } = board;
  // The call of a call belongs to the outer one.
  if (Atomics.load(state, 0) % 2 === 1) return call();
  const { label, ...rest } = watched();
  const { written } = encoder.encodeInto(JSON.stringify({ ...rest, label: label.slice(0, LABEL_CHARS) }), text);
  Atomics.store(state, 1, written);
  Atomics.add(state, 0, 1);
  try {
    return call();
  } finally {
    Atomics.add(state, 0, 1);
    if (Atomics.exchange(state, 2, 0) === 1) giveSignalsBack();
  }
}

function start(): CallBoard {
  const shared: CallBoard = {
    state: new Int32Array(new SharedArrayBuffer(12)),
    text: new Uint8Array(new SharedArrayBuffer(LABEL_BYTES)),
    exitCode: WATCHDOG_EXIT_CODE,
  };
  const worker = new Worker(new URL("./call-watch-thread.js", import.meta.url), { workerData: shared, execArgv: [] });
  worker.unref();
  return shared;
}

function giveSignalsBack(): void {
  const holder = globalThis as { [key: symbol]: [NodeJS.Signals, NodeJS.SignalsListener[]][] | undefined };
  for (const [name, listeners] of holder[Symbol.for(SIGNALS_KEY)] ?? []) {
    for (const listener of listeners) process.on(name, listener);
  }
  holder[Symbol.for(SIGNALS_KEY)] = undefined;
}
