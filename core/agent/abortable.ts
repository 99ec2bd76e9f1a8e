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
