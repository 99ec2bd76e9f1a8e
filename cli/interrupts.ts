import type { Trainer } from "../core/trainer/index.js";
import { type CommandIo, printLine } from "./io.js";

/**
 * Two-stage Ctrl-C: the first SIGINT (or SIGTERM) lets the trainer finish its step and save; the second aborts. Before
 * there is a trainer the first one aborts.
 */
export async function withInterrupts<T>(
  io: CommandIo,
  work: (interrupts: { signal: AbortSignal; onTrainer(trainer: Pick<Trainer, "stop">): void }) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  let trainer: Pick<Trainer, "stop"> | null = null;
  let received = 0;
  const onSignal = (name: NodeJS.Signals) => {
    received++;
    if (!trainer) return abort.abort(new DOMException(`interrupted by ${name}`, "AbortError"));
    printLine(
      io.stderr,
      received === 1
        ? `${name}: finishing this step and saving; once more to abort at once.`
        : `${name}: aborting. The last complete checkpoint stays.`,
    );
    trainer.stop(name);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  try {
    return await work({
      signal: abort.signal,
      onTrainer(created) {
        trainer = created;
      },
    });
  } finally {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  }
}
