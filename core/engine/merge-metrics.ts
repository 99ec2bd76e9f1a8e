import type { MetricValue } from "../algorithms/algebra.js";

/** Metrics of micro-batches combined by their own rules; a mean is weighted by the tokens behind it. */
export class MetricMerger {
  private readonly merged = new Map<string, MetricValue>();

  add(metrics: Readonly<Record<string, MetricValue>>): void {
    for (const [name, metric] of Object.entries(metrics)) {
      const known = this.merged.get(name);
      this.merged.set(name, known ? combine(known, metric) : metric);
    }
  }

  result(): Record<string, MetricValue> {
    return Object.fromEntries(this.merged);
  }
}

function combine(a: MetricValue, b: MetricValue): MetricValue {
  const weight = a.weight + b.weight;
  const { reduction } = a;
  switch (reduction) {
    case "sum":
      return { value: a.value + b.value, reduction, weight };
    case "min":
      return { value: Math.min(a.value, b.value), reduction, weight };
    case "max":
      return { value: Math.max(a.value, b.value), reduction, weight };
    case "mean":
      if (a.weight === 0 || b.weight === 0) return { ...(a.weight === 0 ? b : a), weight };
      return { value: (a.value * a.weight + b.value * b.weight) / weight, reduction, weight };
  }
}
