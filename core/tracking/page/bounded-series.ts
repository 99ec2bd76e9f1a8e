/**
 * One metric over steps in bounded memory. Beyond its capacity neighbouring points are merged in pairs, so that a point
 * stands for the mean of `stride` logged values; the first and the latest value stay exact.
 */
export class BoundedSeries {
  #steps: number[] = [];
  #values: number[] = [];
  #pending: { step: number; sum: number; count: number } = { step: 0, sum: 0, count: 0 };
  /** Logged values per point. */
  stride = 1;
  first: Point | null = null;
  last: Point | null = null;
  min: Point | null = null;
  max: Point | null = null;
  /** Values that were NaN or infinite; they are not drawn. */
  nonFinite = 0;

  constructor(private readonly capacity = 400) {}

  push(step: number, value: number): void {
    if (!Number.isFinite(value)) {
      this.nonFinite++;
      return;
    }
    const point = { step, value };
    this.first ??= point;
    this.last = point;
    if (!this.min || value < this.min.value) this.min = point;
    if (!this.max || value > this.max.value) this.max = point;
    const { sum, count } = this.#pending;
    this.#pending = { step, sum: sum + value, count: count + 1 };
    if (this.#pending.count >= this.stride) this.#settle();
    if (this.#steps.length > this.capacity) this.#halve();
  }

  /** Drawn points in order of steps; a point stands at the last step that it covers. */
  points(): Point[] {
    const points = this.#steps.map((step, i) => ({ step, value: this.#values[i] }));
    if (this.first && points.length > 0 && this.stride > 1) points.unshift(this.first);
    if (this.last && points.at(-1)?.step !== this.last.step) points.push(this.last);
    return points;
  }

  #settle(): void {
    const { step, sum, count } = this.#pending;
    this.#steps.push(step);
    this.#values.push(sum / count);
    this.#pending = { step: 0, sum: 0, count: 0 };
  }

  #halve(): void {
    const odd = this.#values.length % 2 === 1 ? { step: this.#steps.pop(), value: this.#values.pop() } : null;
    const pairs = this.#values.length / 2;
    this.#steps = Array.from({ length: pairs }, (_, i) => this.#steps[2 * i + 1]);
    this.#values = Array.from({ length: pairs }, (_, i) => (this.#values[2 * i] + this.#values[2 * i + 1]) / 2);
    if (odd) this.#pending = { step: odd.step ?? 0, sum: (odd.value ?? 0) * this.stride, count: this.stride };
    this.stride *= 2;
  }
}

export interface Point {
  readonly step: number;
  readonly value: number;
}
