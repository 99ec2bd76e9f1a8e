import inspector from "node:inspector";
import { isMainThread, Worker } from "node:worker_threads";
import { AT, type Board, MAIN_KEY, type MainSide, newBoard, type WatchedCall, type WatchedLoop } from "./board.js";
import { currentCall, fileNamed, noteCallsOn } from "./user-code.js";
import { WATCHDOG_EXIT_CODE } from "./watchdog.js";

/** A longer label is cut. */
const LABEL_CHARS = 600;
/** So often a thread that is not blocked shows it. */
const BEAT_MS = 250;

interface Watch {
  readonly board: Board;
  readonly worker: Worker;
}

let watch: Watch | null = null;
/** Orders that have not been taken back, the newest last. */
const orders: WatchedLoop[] = [];
let beating: NodeJS.Timeout | undefined;
const encoder = new TextEncoder();

/**
 * Calls `call`; its synchronous part is watched by a thread of its own, for no timer and no signal gets through to a thread
 * that computes for ever. After a while without yielding the thread says so and gives SIGINT and SIGTERM their default
 * action; after the deadline it names the place and ends the process with {@link WATCHDOG_EXIT_CODE}. In a worker thread
 * nothing is watched: who owns it can end it.
 */
export function watchCall<T>(watched: () => WatchedCall, call: () => T): T {
  if (!isMainThread) return call();
  const { state, call: text } = started().board;
  // The call of a call belongs to the outer one.
  if (Atomics.load(state, AT.call) % 2 === 1) return call();
  const { label, ...rest } = watched();
  const { written } = encoder.encodeInto(JSON.stringify({ ...rest, label: label.slice(0, LABEL_CHARS) }), text);
  noteDebugger(state);
  Atomics.store(state, AT.callBytes, written);
  Atomics.add(state, AT.call, 1);
  try {
    return call();
  } finally {
    Atomics.add(state, AT.call, 1);
    giveSignalsBack(state);
  }
}

/**
 * Watches that the event loop of the main thread turns. Code that is not ours and holds it is named after a while, and ends
 * the process after the deadline; what we compute ourselves never does. Returns the function that ends the watch.
 */
export function watchLoop(order: WatchedLoop): () => void {
  if (!isMainThread || order.deadlineMs <= 0) return () => {};
  const { board, worker } = started();
  const { state } = board;
  orders.push(order);
  worker.postMessage(order);
  beating ??= setInterval(() => beat(state), BEAT_MS).unref();
  noteCallsOn(board);
  noteDebugger(state);
  return () => {
    const at = orders.indexOf(order);
    if (at < 0) return;
    orders.splice(at, 1);
    worker.postMessage(orders.at(-1) ?? null);
    if (orders.length > 0) return;
    clearInterval(beating);
    beating = undefined;
    noteCallsOn(null);
    giveSignalsBack(state);
  };
}

function started(): Watch {
  if (watch) return watch;
  const board = newBoard(WATCHDOG_EXIT_CODE);
  Object.defineProperty(globalThis, MAIN_KEY, { value: mainSide(board), configurable: true });
  const url = new URL("./block-watch-thread.js", import.meta.url);
  const worker = new Worker(url, { workerData: board, execArgv: [] });
  worker.unref();
  // What goes wrong with the watch is no reason to end what is watched.
  worker.on("error", () => {});
  watch = { board, worker };
  return watch;
}

function mainSide({ state }: Board): MainSide {
  return {
    describe: (url) => ({ file: fileNamed(url), label: currentCall(), debugged: inspector.url() !== undefined }),
    dropSignals() {
      taken ??= (["SIGINT", "SIGTERM"] as const).map((name) => [name, process.listeners(name)]);
      for (const [name] of taken) process.removeAllListeners(name);
      Atomics.store(state, AT.signals, 1);
    },
  };
}

let taken: [NodeJS.Signals, NodeJS.SignalsListener[]][] | null = null;

function giveSignalsBack(state: Int32Array): void {
  if (Atomics.exchange(state, AT.signals, 0) === 0) return;
  for (const [name, listeners] of taken ?? []) for (const listener of listeners) process.on(name, listener);
  taken = null;
}

function beat(state: Int32Array): void {
  Atomics.add(state, AT.beats, 1);
  noteDebugger(state);
  giveSignalsBack(state);
}

/** Whoever stops at a breakpoint is left alone. */
function noteDebugger(state: Int32Array): void {
  Atomics.store(state, AT.debugged, inspector.url() === undefined ? 0 : 1);
}
