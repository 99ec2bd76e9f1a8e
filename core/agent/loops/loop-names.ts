import type { Dataset } from "../../data/rows/dataset.js";
import { isVerlError, type VerlError } from "../../host/errors.js";
import { shown } from "../../host/util/shown.js";
import { agentErrors } from "../errors.js";

/** Names of the user's list, and a look-up of registered loops that throws for unknown names. */
export interface KnownLoops {
  readonly own: readonly string[];
  readonly registered: (name: string) => unknown;
}

/** The agent loop that a row asks for; without a value in the column it is the run's default. */
export function agentNameOf(row: Readonly<Record<string, unknown>>, defaultLoop: string): unknown {
  const { agent_name: name } = row;
  return name ?? defaultLoop;
}

/** Before anything starts: the default loop and those of all rows are known, or the first row with another one is named. */
export function checkAgentNames(
  known: KnownLoops,
  defaultLoop: string,
  datasets: readonly Pick<Dataset, "length" | "at">[],
): void {
  const checked = new Set<unknown>();
  const check = (name: unknown, where: string) => {
    if (checked.has(name)) return;
    checked.add(name);
    const error = unknownLoop(known, name, where);
    if (error) throw error;
  };
  check(defaultLoop, "actor_rollout_ref.rollout.agent.default_agent_loop");
  for (const dataset of datasets) {
    for (let index = 0; index < dataset.length; index++) {
      const { row, origin } = dataset.at(index);
      check(agentNameOf(row, defaultLoop), `dataset row ${origin}, column agent_name`);
    }
  }
}

/** What is to be said of a name that no loop has; null for others. */
export function unknownLoop({ own, registered }: KnownLoops, name: unknown, where?: string): VerlError | null {
  if (typeof name !== "string") {
    return agentErrors.VERL_AGENT_UNKNOWN_LOOP({
      what: `an agent loop is named by a text, not by ${shown(name)}`,
      where,
    });
  }
  if (own.includes(name)) return null;
  try {
    registered(name);
    return null;
  } catch (error) {
    if (!isVerlError(error)) throw error;
    const ofList = own.length > 0 ? ` agent.agent_loop_config_path has ${own.join(", ")}.` : "";
    return agentErrors.VERL_AGENT_UNKNOWN_LOOP({
      what: error.what.replace("agentLoop", "agent loop"),
      where,
      why: `${error.why ?? ""}${ofList}`.trim(),
      ...(error.fix ? { also: [error.fix] } : {}),
      cause: error,
    });
  }
}
