import { isVerlError, reasonOf } from "./errors.js";
import type { Diagnosis } from "./types.js";

/** An error as a finding of `verl doctor`, in one line. */
export function failedFinding(name: string, error: unknown): Diagnosis {
  if (!isVerlError(error)) return { name, status: "failed", detail: reasonOf(error).split("\n")[0] };
  const { code, what, where, why, fix } = error;
  const detail = `${code}: ${what}${where ? ` (${where})` : ""}${why ? `: ${why.split("\n")[0]}` : ""}`;
  return { name, status: "failed", detail, ...(fix ? { fix } : {}) };
}
