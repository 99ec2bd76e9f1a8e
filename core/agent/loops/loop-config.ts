import path from "node:path";
import type { LoadUserModule } from "../../host/loading/user-module.js";
import { shown } from "../../host/util/shown.js";
import type { AgentLoopFactory, AgentLoopMarks } from "../agent-loop.js";
import { agentErrors } from "../errors.js";
import { isExportReference, readListFile } from "../list-file.js";
import type { LoopThreads, ThreadedLoop } from "../threads/index.js";
import { agentLoopFromExport, marksOf } from "./loop-from-export.js";
import { unknownLoop } from "./loop-names.js";

export interface AgentLoopSource {
  /** `rollout.agent.agent_loop_config_path`, relative to `cwd`. */
  readonly configPath: string | null;
  readonly cwd: string;
  /** A registered loop; throws for unknown names, saying which are known. */
  readonly registered: (name: string) => AgentLoopFactory;
  readonly loadUserModule: LoadUserModule;
}

/** The agent loops of a run by name: those of the user's list, then registered ones. */
export interface AgentLoopList {
  /** Of the user's list. */
  readonly names: readonly string[];
  /** Known before anything is started; none for unknown names. */
  marks(name: string): AgentLoopMarks;
  /** Starts what loops in threads need. The function finds a loop, and throws for unknown names. */
  finder(openThreads?: OpenThreads): Promise<(name: string) => AgentLoopFactory>;
}

/** Opens threads for loops with `thread: true`. */
export type OpenThreads = (loops: readonly ThreadedLoop[]) => Promise<LoopThreads>;

/**
 * Loads the user's list, YAML with one `{name, _target_, …}` per loop: `_target_` is `file-or-package#Export`, `scores_itself` and
 * `renders_tools` are marks, further keys are options of the loop; `thread: true` has it run in worker threads. Everything that
 * runs in this thread is loaded here, so that a wrong entry ends the run before it starts.
 */
export async function loadAgentLoops(source: AgentLoopSource): Promise<AgentLoopList> {
  const { configPath, cwd, registered, loadUserModule } = source;
  const own = new Map<string, AgentLoopFactory>();
  const threaded: (ThreadedLoop & { readonly marks: AgentLoopMarks })[] = [];
  if (configPath !== null) {
    const file = path.resolve(cwd, configPath);
    const names = new Set<string>();
    for (const { name, target, thread, marks, options } of await readEntries(file)) {
      if (names.has(name)) throw badList(file, `the name "${name}" occurs twice`);
      names.add(name);
      const [module, exportName] = target.split("#");
      if (thread) threaded.push({ name, module, exportName, options, marks });
      else {
        const where = `${target} in ${file}`;
        const exported = await loadUserModule(module, exportName, file);
        own.set(name, agentLoopFromExport(name, exported, options, where, marks));
      }
    }
  }
  const names = [...own.keys(), ...threaded.map(({ name }) => name)];
  const isUnknown = (name: string) => unknownLoop({ own: names, registered }, name);
  return {
    names,
    marks: (name) =>
      threaded.find((loop) => loop.name === name)?.marks ?? own.get(name) ?? (isUnknown(name) ? {} : registered(name)),
    async finder(openThreads) {
      const found = new Map(own);
      if (threaded.length > 0) {
        if (!openThreads) throw agentErrors.VERL_AGENT_NO_THREADS({ what: `${threaded[0].name} asks for threads` });
        const threads = await openThreads(threaded.map(({ marks, ...loop }) => loop));
        for (const { marks, ...loop } of threaded) found.set(loop.name, { ...threads.factory(loop), ...marks });
      }
      return (name) => {
        const loop = found.get(name);
        if (loop) return loop;
        const unknown = isUnknown(name);
        if (unknown) throw unknown;
        return registered(name);
      };
    },
  };
}

interface Entry {
  readonly name: string;
  readonly target: string;
  readonly thread: boolean;
  readonly marks: AgentLoopMarks;
  readonly options: Readonly<Record<string, unknown>>;
}

async function readEntries(file: string): Promise<Entry[]> {
  const list = await readListFile(file, (what, why) => badList(file, what, why));
  if (!Array.isArray(list)) throw badList(file, "it is no list");
  return list.map((item: unknown, i) => {
    const { name, _target_: target, thread = false, ...others } = (item ?? {}) as Record<string, unknown>;
    const { scores_itself: scoresItself, renders_tools: rendersTools, ...options } = others;
    if (typeof name !== "string" || name === "") throw badList(file, `entry ${i + 1} has no name`);
    if (!isExportReference(target)) {
      throw badList(
        file,
        `the _target_ of "${name}" is ${target === undefined ? "missing" : shown(target)}, not of the form file#Export`,
      );
    }
    for (const [key, value] of Object.entries({ thread, scores_itself: scoresItself, renders_tools: rendersTools })) {
      if (value !== undefined && typeof value !== "boolean")
        throw badList(file, `${key} of "${name}" is ${shown(value)}, not true or false`);
    }
    return { name, target, thread: thread === true, marks: marksOf({ scoresItself, rendersTools }), options };
  });
}

function badList(file: string, what: string, why?: string) {
  return agentErrors.VERL_AGENT_BAD_LIST({ what: `the list of agent loops cannot be used: ${what}`, where: file, why });
}
