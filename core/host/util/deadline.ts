const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** `setTimeout` fires at once beyond this; a wait of 25 days is as good as one without end. */
export function timerMs(ms: number): number {
  return Math.min(ms, LONGEST_TIMER_MS);
}

/** Rejects with `onTimeout()` when `work` has not settled after `ms`. The work itself cannot be stopped. */
export async function withDeadline<T>(work: Promise<T>, ms: number, onTimeout: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      try {
        reject(onTimeout());
      } catch (error) {
        reject(error);
      }
    }, timerMs(ms));
  });
  // Nobody listens to the loser of the race; its late rejection is not an unhandled one.
  work.catch(() => {});
  try {
    return await Promise.race([work, expiry]);
  } finally {
    clearTimeout(timer);
  }
}
