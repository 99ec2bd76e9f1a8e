import type { ProgressUpdate } from "../../../core/plugin.js";
import { formatDuration } from "../../../core/tracking/index.js";

const BAR = 16;

/** One line at the bottom of a terminal that is rewritten in place. */
export class LiveLine {
  #update: ProgressUpdate | null = null;
  #since = 0;
  #lastDrawn = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly output: NodeJS.WritableStream,
    private readonly totalSteps: number,
    private readonly dim: (text: string) => string,
  ) {}

  show(update: ProgressUpdate): void {
    const now = performance.now();
    const samePhase = this.#update?.phase === update.phase && this.#update.step === update.step;
    if (!samePhase) this.#since = now;
    this.#update = update;
    if (samePhase && now - this.#lastDrawn < 100) return;
    this.#draw();
    // Keeps the seconds moving through a long silent phase, without keeping the process alive.
    this.#timer ??= setInterval(() => this.#draw(), 1000).unref();
  }

  clear(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#update) this.output.write("\r\u001b[2K");
    this.#update = null;
  }

  #draw(): void {
    if (!this.#update) return;
    this.#lastDrawn = performance.now();
    const text = this.#text(this.#update).slice(0, columnsOf(this.output) - 1);
    // The cursor goes back to the start, so that a warning on the other stream overwrites the line instead of extending it.
    this.output.write(`\r\u001b[2K${this.dim(text)}\r`);
  }

  #text({ step, phase, done, total }: ProgressUpdate): string {
    const parts = [`step ${String(step).padStart(String(this.totalSteps).length)}/${this.totalSteps}`, phase];
    if (done !== undefined && total !== undefined && total > 0) {
      const filled = Math.round(BAR * Math.min(1, done / total));
      parts.push(`${"━".repeat(filled)}${"╌".repeat(BAR - filled)} ${done}/${total}`);
    } else if (done !== undefined) parts.push(String(done));
    const seconds = (performance.now() - this.#since) / 1000;
    if (seconds >= 1) parts.push(formatDuration(Math.floor(seconds)));
    return parts.join("  ");
  }
}

export function columnsOf(output: NodeJS.WritableStream): number {
  return (output as Partial<NodeJS.WriteStream>).columns ?? 80;
}
