import { endProcess, isVerlError, watchLoop } from "../../core/host/index.js";
import { trainerErrors } from "../../core/trainer/errors.js";
import type { Trainer } from "../../core/trainer/index.js";
import { type CommandIo, printLine } from "./io.js";
import { EXIT } from "./report-error.js";
import { surfaced } from "./stray-errors.js";
import type { Watched } from "./watched-work.js";

/** Longest time that an abort may take before the process ends without it. */
const GRACE_MS = 5000;

export interface Interrupts {
  /** Aborted by the first signal as long as there is no trainer to stop. */
  readonly signal: AbortSignal;
  onTrainer(trainer: Pick<Trainer, "stop">): void;
  /** Signals received so far. */
  received(): number;
}

/**
 * Two-stage Ctrl-C: the first SIGINT (or SIGTERM) lets the trainer finish its step and save; the second aborts. Before
 * there is a trainer the first one aborts. An abort that takes longer than a few seconds, or a third signal, ends the
 * process: checkpoints and metrics are written so that this harms nothing. `watched`: code of the user's that holds the
 * thread, so that no signal gets through to it, is named and ended, and errors that nobody catches end the work.
 */
export async function withInterrupts<T>(
  io: CommandIo,
  watched: Watched | null,
  work: (interrupts: Interrupts) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  let trainer: Pick<Trainer, "stop"> | null = null;
  let received = 0;
  let grace: NodeJS.Timeout | undefined;
  const leave = () => {
    // One more signal ends what even this does not.
    ignore();
    endProcess(EXIT.interrupted);
  };
  const onSignal = (name: NodeJS.Signals) => {
    received++;
    const finishing = trainer !== null && received === 1;
    if (finishing) printLine(io.stderr, `${name}: finishing this step and saving; once more to abort at once.`);
    else if (grace) leave();
    else {
      grace = setTimeout(leave, GRACE_MS).unref();
      const kept = trainer ? " The last complete checkpoint stays." : "";
      printLine(io.stderr, `${name}: aborting.${kept}`);
    }
    if (trainer) trainer.stop(name);
    else abort.abort(trainerErrors.VERL_TRAINER_ABORTED({ what: `interrupted by ${name}` }));
  };
  const ignore = () => {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  const stopWatching = [watched && watchLoop(watched.loop), watched?.errors?.((error) => abort.abort(error))];
  try {
    const result = await work({
      signal: abort.signal,
      onTrainer(created) {
        trainer = created;
      },
      received: () => received,
    });
    await surfaced();
    if (received === 0) abort.signal.throwIfAborted();
    return result;
  } catch (error) {
    // What aborted the work says more than what the abort broke.
    throw abort.signal.aborted && isVerlError(abort.signal.reason) ? abort.signal.reason : error;
  } finally {
    for (const stop of stopWatching) stop?.();
    clearTimeout(grace);
    ignore();
  }
}
