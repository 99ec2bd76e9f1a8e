import path from "node:path";
import { reasonOf } from "../../host/errors.js";
import type { LoadUserModule } from "../../host/loading/user-module.js";
import { isObject } from "../../host/util/plain-object.js";
import { agentErrors } from "../errors.js";
import { type BadList, construct } from "../list-file.js";
import { functionTools } from "./function-tools.js";
import { type Tool, whyNoTool } from "./tool.js";
import { badToolFile, readToolEntries, type ToolEntry } from "./tool-entry.js";
import type { ToolFactory, ToolFactoryOptions, ToolGroup } from "./tool-factory.js";
import { ToolSet } from "./tool-set.js";

export interface ToolSource extends Pick<ToolFactoryOptions, "cwd" | "env" | "sandbox" | "logger" | "signal"> {
  /** `multi_turn.tool_config_path`, relative to `cwd`. */
  readonly configPath: string | null;
  /** `multi_turn.function_tool_path`. */
  readonly functionPath: string | null;
  readonly loadUserModule: LoadUserModule;
  /** The registered tool of a name; throws where there is none. */
  readonly registered: (name: string) => ToolFactory;
}

export interface LoadedTools {
  readonly tools: ToolSet;
  /** Ends what the tools started. */
  dispose(): Promise<void>;
}

/** The tools of a run: those of the YAML file in its order, then function tools sorted by name. */
export async function loadTools(source: ToolSource): Promise<LoadedTools> {
  const { configPath, functionPath, cwd } = source;
  const groups: ToolGroup[] = [];
  const dispose = async () => {
    const ended = await Promise.allSettled(groups.splice(0).map(async (group) => group.dispose?.()));
    for (const end of ended) {
      if (end.status === "rejected") source.logger.warn(`a tool could not be ended: ${reasonOf(end.reason)}`);
    }
  };
  try {
    const entries = configPath === null ? [] : await readToolEntries(path.resolve(cwd, configPath));
    const places = new Map<Tool, string>();
    const add = (group: ToolGroup, where: string) => {
      groups.push(group);
      for (const tool of group.tools) places.set(tool, where);
    };
    for (const entry of entries) add(await groupOf(entry, source), entry.where);
    if (functionPath !== null) add({ tools: await functionTools(functionPath, source.loadUserModule) }, functionPath);
    const tools = groups.flatMap((group) => group.tools);
    return { tools: await ToolSet.of(tools, (tool) => places.get(tool)), dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function groupOf(entry: ToolEntry, source: ToolSource): Promise<ToolGroup> {
  if (entry.kind === "class") return { tools: [await classTool(entry, source)] };
  const { name, config, schema, sections, where } = entry;
  const { cwd, env, sandbox, logger, signal } = source;
  const factory = source.registered(name);
  const group: unknown = await factory.create({ config, schema, sections, where, cwd, env, sandbox, logger, signal });
  if (isObject(group) && Array.isArray(group.tools)) return group as unknown as ToolGroup;
  throw agentErrors.VERL_AGENT_BAD_TOOL({ what: `the registered tool "${name}" made no list of tools`, where });
}

async function classTool(
  { target, config, schema, where }: Extract<ToolEntry, { kind: "class" }>,
  { loadUserModule }: ToolSource,
): Promise<Tool> {
  const bad: BadList = (what, why) => badToolFile(where, what, why);
  const tool = await construct(target, [config, schema], { loadUserModule, file: where, bad });
  const why = whyNoTool(tool);
  if (why !== null) throw badToolFile(where, `${target} makes ${why}`);
  return tool as Tool;
}
