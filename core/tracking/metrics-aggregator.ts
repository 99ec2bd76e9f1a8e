/**
 * Metrics of several local updates as those of one step (`trainer.parameter_sync_step` > 1). The rule goes by name,
 * first match: exact names, `…/lr`, timings, max, min, sum and total, else a mean weighted by rows.
 */
import { mean, total } from "./metrics.js";

type Rule = "last" | "sum" | "max" | "min" | "mean";

const COUNTS = /^training\/(off_policy\/evicted_samples|filter_groups\/|rollout_failure\/)/;
const LAST = new Set(["training/global_step", "training/rollout_probs_diff_valid"]);
const STALENESS = "training/off_policy/evicted_samples_staleness/mean";

export function ruleOf(name: string): Rule {
  if (LAST.has(name)) return "last";
  if (COUNTS.test(name) && !/\/(mean|max|min)$/.test(name)) return "sum";
  if (name.endsWith("/lr") || name.endsWith("_lr")) return "last";
  if (name.includes("timing_s/") || name.includes("timing_per_token_ms/")) return "sum";
  const lower = name.toLowerCase();
  if (lower.includes("max")) return "max";
  if (lower.includes("min")) return "min";
  return lower.includes("sum") || lower.includes("total") ? "sum" : "mean";
}

export class MetricsAggregator {
  private readonly steps: { readonly metrics: Readonly<Record<string, unknown>>; readonly rows: number }[] = [];

  /** Metrics of one local update over `rows` rows, padding aside. Everything but numbers is dropped. */
  add(metrics: Readonly<Record<string, unknown>>, rows: number): void {
    this.steps.push({ metrics, rows });
  }

  result(): Record<string, number> {
    const names = new Set(this.steps.flatMap(({ metrics }) => Object.keys(metrics)));
    const out: Record<string, number> = {};
    for (const name of names) {
      const present = this.steps.flatMap(({ metrics, rows }) => {
        const value = metrics[name];
        return typeof value === "number" ? [{ value, weight: this.weightOf(name, metrics, rows) }] : [];
      });
      if (present.length > 0) out[name] = reduce(ruleOf(name), present);
    }
    if ("global_seqlen/minmax_diff" in out && "global_seqlen/max" in out && "global_seqlen/min" in out) {
      out["global_seqlen/minmax_diff"] = out["global_seqlen/max"] - out["global_seqlen/min"];
    }
    return out;
  }

  /** The mean staleness of evicted samples counts those samples, not the rows that were trained on. */
  private weightOf(name: string, metrics: Readonly<Record<string, unknown>>, rows: number): number {
    if (name !== STALENESS) return rows;
    const evicted = metrics["training/off_policy/evicted_samples"];
    return typeof evicted === "number" ? evicted : 0;
  }
}

function reduce(rule: Rule, present: readonly { readonly value: number; readonly weight: number }[]): number {
  const values = present.map((p) => p.value);
  switch (rule) {
    case "last":
      return values[values.length - 1];
    case "sum":
      return total(values);
    case "max":
      return Math.max(...values);
    case "min":
      return Math.min(...values);
    case "mean": {
      const weight = total(present.map((p) => p.weight));
      return weight > 0 ? total(present.map((p) => p.value * p.weight)) / weight : mean(values);
    }
  }
}

/** The reference's rule for untyped lists: a name that contains `max` is a maximum, else `min` a minimum, else a mean. */
export function reduceByName(lists: Readonly<Record<string, readonly number[]>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(lists).map(([name, values]) => {
      if (name.includes("max")) return [name, Math.max(...values)];
      return [name, name.includes("min") ? Math.min(...values) : mean(values)];
    }),
  );
}
