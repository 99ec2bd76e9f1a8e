/** How long the rest of a run takes, from what recent steps took, validation and saving included. */
export class StepClock {
  #lastStep: number;
  #lastAt: number | null = null;
  #secondsPerStep: number | null = null;

  constructor(startStep: number) {
    this.#lastStep = startStep;
  }

  /** A step was logged; `measured` is its own time, which counts until there are two to measure between. */
  mark(step: number, measured: number | null): void {
    const now = performance.now();
    const advanced = step - this.#lastStep;
    if (advanced > 0) {
      const latest = this.#lastAt === null ? measured : (now - this.#lastAt) / 1000 / advanced;
      if (latest !== null) {
        this.#secondsPerStep = this.#secondsPerStep === null ? latest : 0.8 * this.#secondsPerStep + 0.2 * latest;
      }
      this.#lastStep = step;
    }
    this.#lastAt = now;
  }

  /** Seconds; null as long as no step has ended. */
  left(totalSteps: number): number | null {
    if (this.#secondsPerStep === null || this.#lastStep === 0) return null;
    return this.#secondsPerStep * Math.max(0, totalSteps - this.#lastStep);
  }
}
