import type { ConformanceCase } from "../case.js";
import { checkpointCases } from "./checkpoint-cases.js";
import type { EngineMaker } from "./engine-under-test.js";
import { gradientCases } from "./gradient-cases.js";
import { lifecycleCases } from "./lifecycle-cases.js";

/**
 * What every training engine of language models must do, whatever computes it. `make` is called once or more per case
 * and returns an engine that is not initialised, with the same weights each time and the optimizer that is asked for.
 */
export function engineConformance(make: EngineMaker): ConformanceCase[] {
  return [...lifecycleCases(make), ...gradientCases(make), ...checkpointCases(make)];
}
