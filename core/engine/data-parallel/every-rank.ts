/**
 * Runs a task on every rank at once and waits for all of them. When one fails the others are told to stop, and the error
 * is the one that came first.
 */
export async function onEveryRank<R, T>(
  ranks: readonly R[],
  signal: AbortSignal | undefined,
  task: (rank: R, index: number, signal: AbortSignal | undefined) => Promise<T>,
): Promise<T[]> {
  if (ranks.length === 1) return [await task(ranks[0], 0, signal)];
  const stop = new AbortController();
  const both = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const outcomes = await Promise.allSettled(
    ranks.map(async (rank, index) => {
      try {
        return await task(rank, index, both);
      } catch (error) {
        stop.abort(error);
        throw error;
      }
    }),
  );
  if (stop.signal.aborted) throw stop.signal.reason;
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<T>).value);
}
