import type { SessionWait } from "../../agent/agent-loop.js";
import type { Logger } from "../../host/types.js";
import type { ProgressUpdate } from "../../tracking/index.js";

const SHOWN = 5;
/** Looks per deadline: an alarm comes at most this share late. */
const LOOKS = 10;

export interface StallWatchOptions {
  /** Null: nothing is watched. */
  readonly afterSeconds: number | null;
  readonly waiting: () => readonly SessionWait[];
  readonly logger: Pick<Logger, "warn">;
}

/**
 * Notices when nothing happens any more, and says who waits for whom; once per standstill. Something happens when a phase
 * begins, when a part of it is done, and when a session ends or goes on to wait for something else. It cannot notice what
 * holds the process's only thread.
 */
export class StallWatch {
  #update: ProgressUpdate | null = null;
  #seen = "";
  #since = performance.now();
  #said = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: StallWatchOptions) {
    const { afterSeconds } = options;
    if (afterSeconds === null) return;
    this.#timer = setInterval(() => this.#look(afterSeconds), Math.max(10, (afterSeconds * 1000) / LOOKS)).unref();
  }

  progress(update: ProgressUpdate): void {
    this.#update = update;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(afterSeconds: number): void {
    const waiting = this.options.waiting();
    const { step, phase, done } = this.#update ?? { step: 0, phase: "starting" };
    const seen = JSON.stringify([step, phase, done, waiting.map(({ key, waitsFor }) => [key, waitsFor]).sort()]);
    const now = performance.now();
    if (seen !== this.#seen) {
      this.#seen = seen;
      this.#since = now;
      this.#said = false;
      return;
    }
    const seconds = (now - this.#since) / 1000;
    if (this.#said || seconds < afterSeconds) return;
    this.#said = true;
    this.options.logger.warn(standstill(seconds, this.#update, waiting));
  }
}

function standstill(seconds: number, update: ProgressUpdate | null, waiting: readonly SessionWait[]): string {
  const span = seconds >= 120 ? `${Math.round(seconds / 60)} minutes` : `${Number(seconds.toPrecision(2))} s`;
  const at = update ? `step ${update.step}, ${update.phase}${partOf(update)}` : "the start";
  const head = `no progress for ${span} at ${at}`;
  if (waiting.length === 0) return `${head}: the trainer waits for its engine`;
  const groups = new Map<string, SessionWait[]>();
  for (const wait of waiting) groups.set(wait.waitsFor, [...(groups.get(wait.waitsFor) ?? []), wait]);
  const summary = [...groups].map(([what, sessions]) => `${sessions.length} for ${what}`).join(", ");
  const lines = waiting.slice(0, SHOWN).map(({ key, origin, waitsFor, seconds: since }) => {
    return `  ${key}${origin ? ` (${origin})` : ""} has waited ${Math.round(since)} s for ${waitsFor}`;
  });
  if (waiting.length > SHOWN) lines.push(`  … and ${waiting.length - SHOWN} more`);
  const sessions = waiting.length === 1 ? "1 session, which waits" : `${waiting.length} sessions, which wait`;
  return [`${head}: the trainer waits for ${sessions}: ${summary}`, ...lines].join("\n");
}

const partOf = ({ done, total }: ProgressUpdate): string => (total === undefined ? "" : ` ${done ?? 0} of ${total}`);
