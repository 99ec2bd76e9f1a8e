import { BoundedSeries } from "./bounded-series.js";

/** Every metric of a run, by name, in the order of their first appearance. */
export class SeriesStore {
  readonly #series = new Map<string, BoundedSeries>();
  /** Metrics that came after the limit on their number. */
  dropped = 0;
  lastStep = 0;

  /** `capacity`: points kept of each metric. */
  constructor(
    private readonly maxSeries = 400,
    private readonly capacity = 400,
  ) {}

  log(metrics: Readonly<Record<string, number>>, step: number): void {
    this.lastStep = Math.max(this.lastStep, step);
    for (const [name, value] of Object.entries(metrics)) {
      let series = this.#series.get(name);
      if (!series) {
        if (this.#series.size >= this.maxSeries) {
          this.dropped++;
          continue;
        }
        series = new BoundedSeries(this.capacity);
        this.#series.set(name, series);
      }
      series.push(step, value);
    }
  }

  get(name: string): BoundedSeries | null {
    return this.#series.get(name) ?? null;
  }

  has(name: string): boolean {
    return this.#series.has(name);
  }

  names(): string[] {
    return [...this.#series.keys()];
  }
}
