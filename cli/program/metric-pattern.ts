import { nearestName } from "../../core/host/basics.js";
import { cliErrors } from "../errors.js";

/** Whether a metric's name fits a pattern, in which `*` stands for any text. */
export const matches = (name: string, pattern: string): boolean => {
  const parts = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
};

/** @throws VERL_CLI_USAGE where a pattern fits none of the names; `owner` says whose they are, as in "The run has". */
export function checkPatterns(patterns: readonly string[], names: readonly string[], owner: string): void {
  for (const pattern of patterns) {
    if (names.some((name) => matches(name, pattern))) continue;
    const nearest = nearestName(pattern, names);
    throw cliErrors.VERL_CLI_USAGE({
      what: `${owner} ${pattern}.${nearest ? ` Did you mean ${nearest}?` : ""}`,
      fix: "Names are in metrics.jsonl; * stands for any text, as in 'actor/*'.",
    });
  }
}
