/** Metrics of micro-batches as those of a mini-batch, each by the rule that it declares, never by its name. */
import type { MetricValue } from "./algebra.js";

/**
 * Values of one metric as one value. A `mean` is weighted by the tokens behind each part. Parts without any token have no
 * mean and no extreme: they are passed over where others have.
 */
export function combine(values: readonly MetricValue[]): MetricValue {
  const [{ reduction }] = values;
  const weight = values.reduce((sum, v) => sum + v.weight, 0);
  if (reduction === "sum") return { value: values.reduce((sum, v) => sum + v.value, 0), reduction, weight };
  const counted = weight > 0 ? values.filter((v) => v.weight > 0) : values;
  if (reduction === "mean") {
    const share = (v: MetricValue) => (weight > 0 ? v.weight / weight : 1 / counted.length);
    return { value: counted.reduce((sum, v) => sum + v.value * share(v), 0), reduction, weight };
  }
  return { value: counted.map((v) => v.value).reduce((a, b) => Math[reduction](a, b)), reduction, weight };
}

/** Metrics of several parts by name; each where it is present. */
export function combineMetrics(parts: readonly Readonly<Record<string, MetricValue>>[]): Record<string, MetricValue> {
  const lists = new Map<string, MetricValue[]>();
  for (const part of parts) {
    for (const [name, value] of Object.entries(part)) {
      const list = lists.get(name);
      if (list) list.push(value);
      else lists.set(name, [value]);
    }
  }
  return Object.fromEntries([...lists].map(([name, values]) => [name, combine(values)]));
}
