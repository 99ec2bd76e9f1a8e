import { isVerlError, reasonOf } from "../../host/errors.js";
import type { WeightProblem } from "./weight-inspection.js";

/** What keeps a file from being read. */
export function problemOf(error: unknown): WeightProblem {
  if (!isVerlError(error)) return { level: "problem", what: reasonOf(error).split("\n")[0] };
  const { code, what, where, why, fix } = error;
  return {
    level: "problem",
    what: `${code}: ${what}${why ? ` (${why})` : ""}`,
    ...(where ? { where } : {}),
    ...(fix ? { fix } : {}),
  };
}
