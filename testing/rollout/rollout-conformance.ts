import type { ConformanceCase } from "../case.js";
import { generationCases } from "./generation-cases.js";
import { interruptionCases } from "./interruption-cases.js";
import type { RolloutUnderTest } from "./rollout-under-test.js";
import { weightCases } from "./weight-cases.js";

/**
 * What every inference server must do, whatever computes its tokens. `make` is called once per case; servers that draw
 * their own random numbers still pass, as long as a draw depends on (seed, request id, position) alone.
 */
export function rolloutConformance(make: () => RolloutUnderTest): ConformanceCase[] {
  return [...generationCases(make), ...interruptionCases(make), ...weightCases(make)];
}
