import type { Dataset } from "../../data/rows/dataset.js";
import type { Row } from "../../data/rows/row.js";
import { didYouMean } from "../../host/util/nearest.js";
import { isObject, objectOf } from "../../host/util/plain-object.js";
import { shown } from "../../host/util/shown.js";
import { agentErrors } from "../errors.js";
import { interactionKwargs } from "../interactions/simulated-user.js";

type Rows = readonly Pick<Dataset, "length" | "at">[];

/**
 * Before anything starts: what rows say about tools can be used. Names are compared where the row's loop has tools at all: the
 * same data may serve a run without any.
 *
 * @throws VERL_AGENT_BAD_ROW for the first row that says something else
 */
export function checkRowTools(names: readonly string[], hasTools: (row: Row) => boolean, datasets: Rows): void {
  eachRow(datasets, (row) => selectionProblem(row, hasTools(row) ? names : []) ?? kwargsProblem(row));
}

/**
 * Before anything starts: rows of loops with a simulated user name one that there is.
 *
 * @throws VERL_AGENT_BAD_ROW for the first row that does not
 */
export function checkRowInteractions(names: readonly string[], hasUser: (row: Row) => boolean, datasets: Rows): void {
  if (names.length === 0) return;
  eachRow(datasets, (row) => {
    if (!hasUser(row)) return null;
    const { name } = interactionKwargs(row);
    if (typeof name === "string" && names.includes(name)) return null;
    const what = name == null ? "the row names no interaction" : `there is no interaction ${shown(name)}`;
    const why = `The run has ${names.join(", ")}.${typeof name === "string" ? didYouMean(name, names) : ""}`;
    return { what, column: "extra_info.interaction_kwargs", why };
  });
}

interface Problem {
  readonly what: string;
  readonly column: string;
  readonly why?: string;
}

function eachRow(datasets: Rows, problemOf: (row: Row) => Problem | null): void {
  for (const dataset of datasets) {
    for (let index = 0; index < dataset.length; index++) {
      const { row, origin } = dataset.at(index);
      const problem = problemOf(row);
      if (problem === null) continue;
      const { what, column, why } = problem;
      throw agentErrors.VERL_AGENT_BAD_ROW({ what, where: `dataset row ${origin}, ${column}`, why });
    }
  }
}

function selectionProblem({ extra_info: extra }: Row, names: readonly string[]): Problem | null {
  const { tool_selection: selection } = objectOf(extra);
  const column = "extra_info.tool_selection";
  if (selection == null) return null;
  if (!Array.isArray(selection) || selection.some((name) => typeof name !== "string")) {
    return { what: `tool_selection is ${shown(selection)}, not a list of names`, column };
  }
  const unknown = names.length === 0 ? undefined : selection.find((name) => !names.includes(name as string));
  if (unknown === undefined) return null;
  const why = `The run has ${names.join(", ")}.${didYouMean(String(unknown), names)}`;
  return { what: `there is no tool ${shown(unknown)}`, column, why };
}

function kwargsProblem(row: Row): Problem | null {
  const inColumn = row.tools_kwargs != null;
  const column = inColumn ? "column tools_kwargs" : "extra_info.tools_kwargs";
  const kwargs = inColumn ? row.tools_kwargs : objectOf(row.extra_info).tools_kwargs;
  if (kwargs == null) return null;
  if (!isObject(kwargs)) return { what: `tools_kwargs is ${shown(kwargs)}, not an object of tools`, column };
  for (const [tool, own] of Object.entries(kwargs)) {
    if (own == null) continue;
    if (!isObject(own)) return { what: `${tool} is ${shown(own)}, not an object`, column };
    const { create_kwargs: create } = own;
    if (create != null && !isObject(create)) {
      return { what: `${tool}.create_kwargs is ${shown(create)}, not an object`, column };
    }
  }
  return null;
}
