import { readFile } from "node:fs/promises";
import path from "node:path";
import { readYaml, toPlain } from "../../config/index.js";
import { isVerlError, reasonOf } from "../../host/errors.js";
import { shown } from "../../host/shown.js";
import type { Logger } from "../../host/types.js";
import { agentErrors } from "../errors.js";
import { isObject, type Tool, whyNoTool } from "./tool.js";
import { ToolSet } from "./tool-set.js";

export interface ToolSource {
  /** `multi_turn.tool_config_path`, relative to `cwd`. */
  readonly configPath: string | null;
  /** `multi_turn.function_tool_path`. */
  readonly functionPath: string | null;
  readonly cwd: string;
  readonly loadUserModule: (reference: string, exportName: string | null) => Promise<unknown>;
  readonly logger: Pick<Logger, "warn">;
}

/** The tools of a run: those of the YAML file in its order, then function tools sorted by name. */
export async function loadTools(source: ToolSource): Promise<ToolSet> {
  const { configPath, functionPath, cwd } = source;
  const stateful = configPath === null ? [] : await configuredTools(path.resolve(cwd, configPath), source);
  return ToolSet.of([...stateful, ...(functionPath === null ? [] : await functionTools(functionPath, source))]);
}

async function configuredTools(file: string, { loadUserModule }: ToolSource): Promise<Tool[]> {
  const tools: Tool[] = [];
  for (const { target, config, schema } of await readEntries(file)) {
    const [reference, exportName] = target.split("#");
    const exported = await loadUserModule(reference, exportName);
    if (typeof exported !== "function") throw badFile(file, `${target} is no class`);
    let tool: unknown;
    try {
      tool = new (exported as new (config: unknown, schema: unknown) => unknown)(config, schema);
    } catch (error) {
      throw badFile(file, `${target} cannot be made`, reasonOf(error));
    }
    const why = whyNoTool(tool);
    if (why !== null) throw badFile(file, `${target} makes ${why}`);
    tools.push(tool as Tool);
  }
  return tools;
}

interface Entry {
  readonly target: string;
  readonly config: unknown;
  readonly schema: unknown;
}

async function readEntries(file: string): Promise<Entry[]> {
  let content: unknown;
  try {
    content = toPlain(readYaml(await readFile(file, "utf8"), file));
  } catch (error) {
    throw badFile(file, "it cannot be read", isVerlError(error) ? `${error.where}: ${error.what}` : reasonOf(error));
  }
  const list = (content as { readonly tools?: unknown } | null)?.tools;
  if (!Array.isArray(list)) throw badFile(file, "it has no list tools");
  return list.map((item: unknown, i) => {
    const { class_name: target, config, tool_schema: schema } = (item ?? {}) as Record<string, unknown>;
    if (typeof target !== "string" || !/^[^#]+#[^#]+$/.test(target)) {
      throw badFile(file, `entry ${i + 1} has no class_name of the form file#Export`);
    }
    const given = config ?? {};
    if (!isObject(given)) throw badFile(file, `entry ${i + 1} has a config that is no section`);
    const { type = "native", ...settings } = given;
    if (type !== "native") throw badFile(file, `entry ${i + 1} has the type ${shown(type)}; there is native`);
    return { target, config: { type, ...settings }, schema };
  });
}

async function functionTools(reference: string, { loadUserModule, logger }: ToolSource): Promise<Tool[]> {
  const module = (await loadUserModule(reference, null)) as Readonly<Record<string, unknown>>;
  const exported = new Set(Object.values(module).flat());
  const tools = [...exported].filter((value) => whyNoTool(value) === null) as Tool[];
  if (tools.length === 0) logger.warn(`${reference} exports no tool; make one with functionTool`);
  return tools.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function badFile(file: string, what: string, why?: string) {
  return agentErrors.VERL_AGENT_BAD_TOOL({ what: `the list of tools cannot be used: ${what}`, where: file, why });
}
