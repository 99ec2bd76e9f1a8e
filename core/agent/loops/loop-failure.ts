import { isVerlError, reasonOf } from "../../host/errors.js";
import { shown } from "../../host/util/shown.js";
import { agentErrors } from "../errors.js";

/** What a loop threw, as an error: `throw null` and a `fail` without a reason say nothing of where they come from. */
export function loopFailure(thrown: unknown, loop: string, where: string): Error {
  if (isVerlError(thrown) || isError(thrown)) return thrown;
  return agentErrors.VERL_AGENT_LOOP_THREW({
    what: `the agent loop ${loop} threw ${thrown === undefined ? "undefined" : printed(thrown)}`,
    where,
  });
}

/** An error that can be looked at: a proxy or a getter may refuse. */
function isError(thrown: unknown): thrown is Error {
  try {
    return thrown instanceof Error && typeof thrown.message === "string";
  } catch {
    return false;
  }
}

/** Anything can be thrown, also what has no JSON. */
function printed(value: unknown): string {
  try {
    return shown(value);
  } catch {
    return reasonOf(value);
  }
}
