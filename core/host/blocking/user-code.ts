import { AsyncLocalStorage } from "node:async_hooks";
import { fileURLToPath } from "node:url";
import { AT, type Board } from "./board.js";

/** The user's code that runs, across its awaits: of what is called in a call, the innermost. */
const running = new AsyncLocalStorage<() => string>();
/** Files of the user's by their real paths, with the names that the configuration gives them. */
const files = new Map<string, string>();
const encoder = new TextEncoder();
/** Null while nobody watches. */
let board: Board | null = null;

/** From now on calls are noted here. */
export function noteCallsOn(watched: Board | null): void {
  board = watched;
}

/**
 * Calls into code of the user's. Where the process's only thread is watched and this code holds it, `label` says what was
 * called; otherwise the call costs nothing.
 */
export function inUserCode<T>(label: () => string, call: () => T): T {
  if (board === null) return call();
  const { state, entered } = board;
  Atomics.store(state, AT.enteredBytes, encoder.encodeInto(label(), entered).written);
  Atomics.add(state, AT.depth, 1);
  try {
    return running.run(label, call);
  } finally {
    Atomics.sub(state, AT.depth, 1);
  }
}

/** Errors about code in this file say where the configuration names it. */
export function nameUserFile(file: string, named: string): void {
  files.set(file, named);
}

export function currentCall(): string | null {
  return running.getStore()?.() ?? null;
}

export function fileNamed(url: string): string | null {
  return url.startsWith("file:") ? (files.get(fileURLToPath(url.replace(/[?#].*$/, ""))) ?? null) : null;
}
