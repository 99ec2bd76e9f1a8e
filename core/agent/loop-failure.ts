import { shown } from "../host/shown.js";
import { agentErrors } from "./errors.js";

/** What a loop threw, as an error: `throw null` and a `fail` without a reason say nothing of where they come from. */
export function loopFailure(thrown: unknown, loop: string, where: string): Error {
  if (thrown instanceof Error) return thrown;
  return agentErrors.VERL_AGENT_LOOP_THREW({
    what: `the agent loop ${loop} threw ${thrown === undefined ? "undefined" : printed(thrown)}`,
    where,
  });
}

/** Anything can be thrown, also what has no JSON. */
function printed(value: unknown): string {
  try {
    return shown(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
