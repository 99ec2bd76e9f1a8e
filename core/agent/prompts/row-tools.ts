import type { Row } from "../../data/rows/row.js";
import { objectOf } from "../../host/util/plain-object.js";
import type { JsonObject } from "../tools/tool.js";
import type { ToolSet } from "../tools/tool-set.js";

/** The tools that a row may use: those of its `extra_info.tool_selection`, or all. */
export function rowTools(tools: ToolSet, row: Row): ToolSet {
  const { tool_selection: selection } = objectOf(row.extra_info);
  return Array.isArray(selection) ? tools.select(selection.map(String)) : tools;
}

/** What a row says about single tools: its column `tools_kwargs`, or `extra_info.tools_kwargs`. */
export function toolsKwargs(row: Row): JsonObject {
  return objectOf(row.tools_kwargs ?? objectOf(row.extra_info).tools_kwargs);
}
