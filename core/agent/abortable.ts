import { timerMs } from "../host/util/deadline.js";

/**
 * The value of `work`, or the signal's reason as soon as it aborts: user code that ignores its signal holds nobody up, and
 * what it returns afterwards is dropped.
 */
export async function abortable<T>(work: T | Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (onAbort) signal.removeEventListener("abort", onAbort);
  }
}

/**
 * The value of user code that gets a signal: the caller's, which also aborts after `deadlineMs`, with `late` as its reason. Rejects
 * with the signal's reason as soon as it aborts, and with what the work throws; exceptions of a function that is not asynchronous
 * are rejections too.
 */
export async function inTime<T>(
  work: (signal: AbortSignal) => T | Promise<T>,
  { signal, deadlineMs, late }: { readonly signal: AbortSignal; readonly deadlineMs: number; readonly late: Error },
): Promise<T> {
  const expiry = new AbortController();
  const both = AbortSignal.any([signal, expiry.signal]);
  const timer = setTimeout(() => expiry.abort(late), timerMs(deadlineMs));
  try {
    return await abortable(
      settled(() => work(both)),
      both,
    );
  } catch (error) {
    // Code that passes its signal on rejects with an error of its own before the deadline's.
    both.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Exceptions of a function that is not asynchronous become rejections. */
export async function settled<T>(work: () => T | Promise<T>): Promise<T> {
  return await work();
}
