import { type LoadedTools, loadTools, rowTools, type ToolSet } from "../../agent/index.js";
import type { DatasetOptions, Row } from "../../data/index.js";
import type { InputScope } from "../run-scope.js";
import type { RunLoops } from "./loops-setup.js";
import type { RunSandbox } from "./sandbox-setup.js";

/** The files that name a run's tools: those of `rollout.multi_turn.*`. */
export interface ToolPaths {
  readonly tool_config_path: string | null;
  readonly function_tool_path: string | null;
}

/** The tools of a run, loaded once for its data sets and its agent loops. */
export interface RunTools {
  of(paths: ToolPaths): Promise<ToolSet>;
  /** Ends what tools started: servers, connections. */
  close(): Promise<void>;
}

export function createRunTools(scope: InputScope, sandbox: Pick<RunSandbox, "open">): RunTools {
  const { services, cwd, logger, signal } = scope;
  const loaded = new Map<string, Promise<LoadedTools>>();
  const load = ({ tool_config_path, function_tool_path }: ToolPaths) =>
    loadTools({
      configPath: tool_config_path,
      functionPath: function_tool_path,
      cwd,
      env: process.env,
      loadUserModule: services.loadUserModule,
      registered: (name) => services.registries.tools.require(name),
      sandbox: () => sandbox.open(),
      logger,
      signal,
    });
  return {
    async of(paths) {
      const key = JSON.stringify([paths.tool_config_path, paths.function_tool_path]);
      const tools = loaded.get(key) ?? load(paths);
      loaded.set(key, tools);
      return (await tools).tools;
    },
    async close() {
      // Tools that could not be loaded have told whoever asked for them.
      const all = await Promise.all([...loaded.values()].map((tools) => tools.catch(() => null)));
      await Promise.all(all.map((tools) => tools?.dispose()));
    },
  };
}

/** The tools that prompts show, for their length: none where a row's loop shows none, else those that the row may use. */
export async function sentTools(
  { run, loops }: { readonly run: RunTools; readonly loops: Pick<RunLoops, "marksOf"> },
  paths: ToolPaths,
): Promise<Pick<DatasetOptions, "tools" | "toolsOf">> {
  const tools = await run.of(paths);
  if (tools.schemas.length === 0) return {};
  return {
    tools: tools.schemas,
    toolsOf: (row: Row) => (loops.marksOf(row).rendersTools === false ? [] : rowTools(tools, row).schemas),
  };
}
