/** Named timers of a step, in seconds; a timer that runs several times adds up. */
export class StepTimers {
  readonly #seconds = new Map<string, number>();

  async time<T>(name: string, work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      this.#seconds.set(name, this.seconds(name) + (performance.now() - start) / 1000);
    }
  }

  seconds(name: string): number {
    return this.#seconds.get(name) ?? 0;
  }

  get all(): ReadonlyMap<string, number> {
    return this.#seconds;
  }
}
