/** Gives way to other work of the process from time to time during a long computation on the main thread. */
export class Pacer {
  private since = performance.now();

  constructor(private readonly budgetMs: number) {}

  /** Call between two pieces of work. */
  async pause(): Promise<void> {
    if (performance.now() - this.since >= this.budgetMs) await this.yield();
  }

  /** Give way now. */
  async yield(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.since = performance.now();
  }
}
