import { type MetricsLine, type Point, parseMetricsLine, SeriesStore, unmask } from "../../core/tracking/index.js";
import type { Curve } from "./answers.js";
import { LineTail, MAX_BAD_LINES } from "./line-tail.js";

const POINTS = 600;
const METRICS = 500;

/** The curves of `metrics.jsonl` in bounded memory, followed as the file grows. */
export class Curves {
  store = new SeriesStore(METRICS, POINTS);
  /** Complete lines that are no metrics, as a disk that was full leaves them. */
  badLines = 0;
  #clock = new StepClock();
  readonly #tail: LineTail;
  #reading: Promise<void> | null = null;

  constructor(file: string) {
    this.#tail = new LineTail(file);
  }

  /** Whether a `refresh` is under way. */
  get isReading(): boolean {
    return this.#reading !== null;
  }

  /** Take in what was logged since the last time. */
  refresh(): Promise<void> {
    this.#reading ??= this.#tail
      .read(
        ({ text }) => this.#take(text),
        () => this.#reset(),
      )
      .finally(() => {
        this.#reading = null;
      });
    return this.#reading;
  }

  get(name: string): Curve | null {
    const series = this.store.get(name);
    if (!series) return null;
    return curveOf(name, series.points(), this.#clock, series.stride, series.nonFinite);
  }

  #take(text: string | null): void {
    if (this.badLines === MAX_BAD_LINES) return;
    const line = lineOf(text);
    if (line === null) return;
    if (line === "bad") {
      this.badLines++;
      return;
    }
    this.#clock.push(line);
    this.store.log(numbersOf(line), line.step);
  }

  #reset(): void {
    this.store = new SeriesStore(METRICS, POINTS);
    this.#clock = new StepClock();
    this.badLines = 0;
  }
}

export interface CurveRange {
  readonly from: number;
  readonly to: number;
  readonly points: number;
}

/** Curves within a range of steps, as exact as `points` allows. Reads the file once. */
export async function readCurves(file: string, names: readonly string[], range: CurveRange): Promise<Curve[]> {
  const store = new SeriesStore(METRICS, range.points);
  const clock = new StepClock();
  await new LineTail(file).read(
    ({ text }) => {
      const line = lineOf(text);
      if (line === null || line === "bad") return;
      clock.push(line);
      if (line.step < range.from || line.step > range.to) return;
      const wanted = Object.entries(numbersOf(line)).filter(([name]) => names.includes(name));
      store.log(Object.fromEntries(wanted), line.step);
    },
    () => {},
  );
  return names.flatMap((name) => {
    const series = store.get(name);
    return series ? [curveOf(name, series.points(), clock, series.stride, series.nonFinite)] : [];
  });
}

function curveOf(name: string, points: readonly Point[], clock: StepClock, stride: number, nonFinite: number): Curve {
  return {
    name,
    steps: points.map(({ step }) => step),
    values: points.map(({ value }) => Number(value.toPrecision(7))),
    seconds: clock.isEmpty ? null : points.map(({ step }) => Math.round(clock.at(step) * 100) / 100),
    stride,
    nonFinite,
  };
}

function lineOf(text: string | null): MetricsLine | "bad" | null {
  if (text?.trim() === "") return null;
  try {
    return text === null ? "bad" : parseMetricsLine(text, "");
  } catch {
    return "bad";
  }
}

const numbersOf = ({ data }: MetricsLine): Record<string, number> =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, unmask(value)]));

/** When steps were logged, in bounded memory: between the kept ones time is taken to pass evenly. */
class StepClock {
  #steps: number[] = [];
  #seconds: number[] = [];
  #start = 0;
  #every = 1;
  #count = 0;

  get isEmpty(): boolean {
    return this.#steps.length === 0;
  }

  push({ step, time }: MetricsLine): void {
    const at = time === undefined ? Number.NaN : Date.parse(time) / 1000;
    if (!Number.isFinite(at) || step <= (this.#steps.at(-1) ?? Number.NEGATIVE_INFINITY)) return;
    if (this.isEmpty) this.#start = at;
    if (this.#count++ % this.#every !== 0) return;
    this.#steps.push(step);
    this.#seconds.push(at - this.#start);
    if (this.#steps.length <= 2 * POINTS) return;
    const isKept = (_: number, i: number) => i % 2 === 0;
    this.#steps = this.#steps.filter(isKept);
    this.#seconds = this.#seconds.filter(isKept);
    this.#every *= 2;
  }

  at(step: number): number {
    let [low, high] = [0, this.#steps.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#steps[middle] <= step) low = middle;
      else high = middle;
    }
    const [a, b] = [this.#steps[low], this.#steps[high]];
    if (a === b) return this.#seconds[low];
    // Steps after the last kept one go on at the pace before it.
    return this.#seconds[low] + ((step - a) / (b - a)) * (this.#seconds[high] - this.#seconds[low]);
  }
}
