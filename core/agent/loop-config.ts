import { readFile } from "node:fs/promises";
import path from "node:path";
import { readYaml, toPlain } from "../config/index.js";
import { isVerlError, reasonOf } from "../host/errors.js";
import { shown } from "../host/shown.js";
import type { AgentLoopFactory } from "./agent-loop.js";
import { agentErrors } from "./errors.js";
import { agentLoopFromExport } from "./loop-from-export.js";
import { unknownLoop } from "./loop-names.js";
import type { LoopThreads, ThreadedLoop } from "./threads/index.js";

export interface AgentLoopSource {
  /** `rollout.agent.agent_loop_config_path`, relative to `cwd`. */
  readonly configPath: string | null;
  readonly cwd: string;
  /** A registered loop; throws for unknown names, saying which are known. */
  readonly registered: (name: string) => AgentLoopFactory;
  readonly loadUserModule: (reference: string, exportName: string | null) => Promise<unknown>;
  /** Opens threads for loops with `thread: true`. */
  readonly openThreads?: (loops: readonly ThreadedLoop[]) => Promise<LoopThreads>;
}

/**
 * Finds agent loops by name: those of the user's list, then registered ones. The list is YAML, one `{name, _target_, …}` per
 * loop: `_target_` is `file-or-package#Export`, further keys are options of the loop; `thread: true` has it run in worker threads.
 * Everything is loaded here, so that a wrong entry ends the run before it starts.
 */
export async function agentLoopFinder(source: AgentLoopSource): Promise<(name: string) => AgentLoopFactory> {
  const { configPath, cwd, registered, loadUserModule } = source;
  const own = new Map<string, AgentLoopFactory>();
  if (configPath !== null) {
    const file = path.resolve(cwd, configPath);
    const threaded: ThreadedLoop[] = [];
    const names = new Set<string>();
    for (const { name, target, thread, options } of await readEntries(file)) {
      if (names.has(name)) throw badList(file, `the name "${name}" occurs twice`);
      names.add(name);
      const [module, exportName] = target.split("#");
      if (thread) threaded.push({ name, module, exportName, options });
      else
        own.set(
          name,
          agentLoopFromExport(name, await loadUserModule(module, exportName), options, `${target} in ${file}`),
        );
    }
    if (threaded.length > 0) {
      if (!source.openThreads)
        throw agentErrors.VERL_AGENT_NO_THREADS({ what: `${threaded[0].name} asks for threads` });
      const threads = await source.openThreads(threaded);
      for (const loop of threaded) own.set(loop.name, threads.factory(loop));
    }
  }
  return (name) => {
    const loop = own.get(name);
    if (loop) return loop;
    const unknown = unknownLoop({ own: [...own.keys()], registered }, name);
    if (unknown) throw unknown;
    return registered(name);
  };
}

/** The names in the user's list, before anything of it is loaded. */
export async function ownLoopNames({
  configPath,
  cwd,
}: Pick<AgentLoopSource, "configPath" | "cwd">): Promise<string[]> {
  if (configPath === null) return [];
  return (await readEntries(path.resolve(cwd, configPath))).map(({ name }) => name);
}

interface Entry {
  readonly name: string;
  readonly target: string;
  readonly thread: boolean;
  readonly options: Readonly<Record<string, unknown>>;
}

async function readEntries(file: string): Promise<Entry[]> {
  let list: unknown;
  try {
    list = toPlain(readYaml(await readFile(file, "utf8"), file));
  } catch (error) {
    throw badList(file, "it cannot be read", isVerlError(error) ? `${error.where}: ${error.what}` : reasonOf(error));
  }
  if (!Array.isArray(list)) throw badList(file, "it is no list");
  return list.map((item: unknown, i) => {
    const { name, _target_: target, thread = false, ...options } = (item ?? {}) as Record<string, unknown>;
    if (typeof name !== "string" || name === "") throw badList(file, `entry ${i + 1} has no name`);
    if (typeof target !== "string" || !/^[^#]+#[^#]+$/.test(target)) {
      throw badList(
        file,
        `the _target_ of "${name}" is ${target === undefined ? "missing" : shown(target)}, not of the form file#Export`,
      );
    }
    if (typeof thread !== "boolean") throw badList(file, `thread of "${name}" is ${shown(thread)}, not true or false`);
    return { name, target, thread, options };
  });
}

function badList(file: string, what: string, why?: string) {
  return agentErrors.VERL_AGENT_BAD_LIST({ what: `the list of agent loops cannot be used: ${what}`, where: file, why });
}
