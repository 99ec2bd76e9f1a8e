import type { LoadUserModule } from "../../host/loading/user-module.js";
import { isObject } from "../../host/util/plain-object.js";
import { shown } from "../../host/util/shown.js";
import { agentErrors } from "../errors.js";
import { type Tool, whyNoTool } from "./tool.js";

const KEY = "function_tool_path";

/**
 * The tools that a module exports, alone or in lists, sorted by name. Other exports may stand beside them; in a list of tools all are.
 *
 * @throws VERL_AGENT_BAD_TOOL where there is none, and for what is meant as one and cannot be used: a model that is not shown it would
 * train without
 */
export async function functionTools(reference: string, loadUserModule: LoadUserModule): Promise<Tool[]> {
  const module = (await loadUserModule(reference, null, KEY)) as Readonly<Record<string, unknown>>;
  const refuse = (what: string, why?: string) =>
    agentErrors.VERL_AGENT_BAD_TOOL({
      what: `the module of tools cannot be used: ${what}`,
      where: `${reference} (${KEY})`,
      why,
    });
  const tools = new Set<Tool>();
  for (const [name, exported] of Object.entries(module)) {
    // A CommonJS module shows its exports twice: by name, and all together.
    const isTogether = (name === "default" || name === "module.exports") && isObject(exported) && !isMeant(exported);
    const members = isTogether ? Object.entries(exported) : [[name, exported] as const];
    for (const [place, value] of members) for (const tool of toolsOf(place, value, refuse)) tools.add(tool);
  }
  if (tools.size > 0) return [...tools].sort((a, b) => (a.name < b.name ? -1 : 1));
  throw refuse("it exports no tool", exportsOf(module));
}

function toolsOf(place: string, value: unknown, refuse: (what: string) => Error): readonly Tool[] {
  if (!Array.isArray(value)) return isMeant(value) ? [asTool(`its export ${place}`, value, refuse)] : [];
  if (!value.some(isMeant)) return [];
  return value.map((item: unknown, i) => asTool(`item ${i + 1} of its export ${place}`, item, refuse));
}

function asTool(place: string, value: unknown, refuse: (what: string) => Error): Tool {
  const why = isObject(value) ? whyNoTool(value) : `${kindOf(value)}, no tool`;
  if (why === null) return value as unknown as Tool;
  throw refuse(`${place} is ${why}`);
}

/** What can be executed is meant as a tool. */
const isMeant = (value: unknown): boolean => isObject(value) && typeof value.execute === "function";

function exportsOf(module: Readonly<Record<string, unknown>>): string {
  const all = Object.entries(module).filter(([name]) => name !== "module.exports");
  if (all.length === 0) return "It exports nothing.";
  return `It exports ${all.map(([name, value]) => `${name} (${kindOf(value)})`).join(", ")}.`;
}

function kindOf(value: unknown): string {
  if (value === null || ["number", "boolean", "undefined"].includes(typeof value)) return String(value);
  if (typeof value === "string") return shown(value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
