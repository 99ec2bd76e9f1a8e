import { timerMs } from "../host/util/deadline.js";

const SLICES = 20;

/** Thrown, and the reason of the work's signal, when the deadline passes. */
export class DeadlineExceeded extends Error {
  /** The server that was being waited for, and what it said last. */
  waitedFor: string | null = null;

  constructor(readonly deadlineMs: number) {
    super(`took longer than ${deadlineMs / 1000} s`);
    this.name = "DeadlineExceeded";
  }
}

/**
 * Run work under a deadline. Time during which the event loop is blocked does not count: the deadline is cut into slices
 * that are charged when their timer fires, so a late timer is charged for its slice alone. Work that finished while the
 * loop was busy elsewhere is therefore never reported as late. Synchronous work cannot be interrupted.
 */
export async function withDeadline<T>(
  deadlineMs: number,
  work: (signal: AbortSignal) => T | Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const interrupted = new Promise<never>((_, reject) => {
    const stop = (reason: unknown) => {
      controller.abort(reason);
      reject(reason);
    };
    const slice = timerMs(Math.max(1, deadlineMs / SLICES));
    let left = deadlineMs;
    const tick = () => {
      left -= slice;
      if (left <= 0) stop(new DeadlineExceeded(deadlineMs));
      else timer = setTimeout(tick, Math.min(slice, left));
    };
    if (Number.isFinite(deadlineMs)) timer = setTimeout(tick, slice);
    onAbort = () => stop(outer?.reason);
    outer?.addEventListener("abort", onAbort, { once: true });
  });
  // The race below may be decided before `interrupted` rejects; it must not count as unhandled then.
  interrupted.catch(() => {});
  try {
    return await Promise.race([work(controller.signal), interrupted]);
  } finally {
    clearTimeout(timer);
    if (onAbort) outer?.removeEventListener("abort", onAbort);
  }
}
