import { isVerlError, reasonOf, withConsequence } from "../host/errors.js";
import type { RunParts } from "./run-parts.js";

/** Work of a run: whatever goes wrong in it, the trackers are finished with that. */
export async function withTrackers<T>(
  { trackers, logger }: Pick<RunParts, "trackers" | "logger">,
  aborted: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (failure) {
    // An abort breaks whatever was under way; why it came says more than how that broke.
    const error: unknown = aborted.aborted ? aborted.reason : failure;
    const later = await trackers.finish({ exitCode: 1, error }).then(
      () => null,
      (failed: unknown) => failed,
    );
    if (later === null) throw error;
    // What ends the run is told first, and only once.
    const { what, why } = isVerlError(later) ? later : { what: reasonOf(later), why: undefined };
    const consequence = why ? `${what}: ${why}` : what;
    if (isVerlError(error)) throw withConsequence(error, consequence);
    logger.error(consequence);
    throw error;
  }
}
