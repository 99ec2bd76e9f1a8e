import type { AdapterConfig } from "../../../../core/plugin.js";
import type { ConformanceCase } from "../../../../testing/index.js";

export const ADAPTER = { rank: 2, alpha: 4, targetModules: "all-linear" } as const satisfies AdapterConfig;

/** Without the case that takes exported weights for what is trained: with an adapter they are products of that. */
export function withoutWeightGradients(cases: readonly ConformanceCase[]): ConformanceCase[] {
  return cases.filter(({ name }) => !name.startsWith("gives the gradient of the loss"));
}
