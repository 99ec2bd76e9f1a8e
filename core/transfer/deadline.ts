import type { CallOptions } from "../host/types.js";
import { timerMs } from "../host/util/deadline.js";

/**
 * Run `body` with a signal that also aborts when the time is up; it then rejects with the error that `expired` makes. A
 * body that ignores its signal is left behind.
 */
export async function withDeadline<T>(
  options: CallOptions & { readonly deadlineMs: number },
  expired: () => Promise<unknown>,
  body: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  options.signal?.throwIfAborted();
  const deadline = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, deadline.signal]) : deadline.signal;
  const timer = setTimeout(() => deadline.abort(), timerMs(options.deadlineMs));
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([body(signal), aborted]);
  } catch (error) {
    if (deadline.signal.aborted && !options.signal?.aborted) throw await expired();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
