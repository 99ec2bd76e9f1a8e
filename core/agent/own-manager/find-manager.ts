import { isVerlError, reasonOf } from "../../host/errors.js";
import { loadDeadlineMs } from "../../host/loading/load-watch.js";
import type { LoadUserModule } from "../../host/loading/user-module.js";
import type { Awaitable } from "../../host/types.js";
import { createTimeout } from "../../host/util/create-timeout.js";
import { withDeadline } from "../../host/util/deadline.js";
import type { GenerateRequest } from "../../rollout/rollout.js";
import { ATTRIBUTE, noTracer } from "../../tracing/index.js";
import type { AgentLoopManager, AgentLoopMarks } from "../agent-loop.js";
import { agentErrors } from "../errors.js";
import { isExportReference } from "../list-file.js";
import { marksOf } from "../loops/loop-from-export.js";
import type { AgentLoopManagerFactory, AgentLoopManagerOptions } from "../sessions/manager-factory.js";
import { tracedClient } from "../sessions/trace.js";
import { BoundedManager } from "./bounded-manager.js";
import type { SequenceManager, SequenceManagerClass, SequenceManagerOptions } from "./contract.js";
import { SequenceManagerAdapter } from "./sequence-manager-adapter.js";

const KEY = "actor_rollout_ref.rollout.agent.agent_loop_manager_class";

export interface ManagerSource {
  /** `rollout.agent.agent_loop_manager_class`: a registered name, or `file-or-package#Export`. */
  readonly reference: string | null;
  readonly registered: (name: string) => AgentLoopManagerFactory;
  readonly loadUserModule: LoadUserModule;
}

/** The manager of a run: the built-in one, a registered one, or one from a user's module. */
export async function createAgentLoopManager(
  { reference, registered, loadUserModule }: ManagerSource,
  options: AgentLoopManagerOptions,
): Promise<AgentLoopManager> {
  const name = reference ?? "default";
  if (name === "default") return registered(name).create(options);
  const made = name.includes("#")
    ? await fromExport(name, await loadUserModule(...splitReference(name), KEY), options)
    : await registered(name).create(options);
  const { config, logger } = options;
  return new BoundedManager(made, { name, deadlineMs: config.trainer.sample_deadline_s * 1000, logger });
}

/**
 * What a manager of one's own is marked with, before anything starts: all rows are its. Null: the loops of the rows tell.
 */
export async function managerMarks({
  reference,
  registered,
  loadUserModule,
}: ManagerSource): Promise<AgentLoopMarks | null> {
  if (reference === null || !reference.includes("#")) {
    const marks = marksOf(registered(reference ?? "default"));
    return marks.scoresItself ? marks : null;
  }
  const [module, exportName] = splitReference(reference);
  return marksOf(await loadUserModule(module, exportName, KEY));
}

/** Makes what a plugin registers of a manager with `generateSequences`. */
export function sequenceManager(name: string, manager: SequenceManagerClass): AgentLoopManagerFactory {
  return { name, ...marksOf(manager), create: (options) => fromExport(name, manager, options) };
}

function splitReference(reference: string): [module: string, exportName: string] {
  if (isExportReference(reference)) return reference.split("#") as [string, string];
  throw badManager(reference, "it has not the form file#Class");
}

type Made = Partial<SequenceManager & AgentLoopManager>;

async function fromExport(
  reference: string,
  exported: unknown,
  options: AgentLoopManagerOptions,
): Promise<AgentLoopManager> {
  const create = (exported as { create?: unknown } | null | undefined)?.create;
  if (typeof create !== "function") throw badManager(reference, "it has no (static) method create(options)");
  const adapter = new SequenceManagerAdapter(reference, options);
  // What it asks the model is no part of a session before that is delivered: each turn is a trace of its own.
  const { client, tokenizer, tracer = noTracer } = options;
  const place = ({ requestId }: GenerateRequest) => ({ root: true, attributes: { [ATTRIBUTE.trajectory]: requestId } });
  const given: SequenceManagerOptions & AgentLoopManagerOptions = {
    ...options,
    queue: adapter.queue,
    llmClient: tracedClient(client, tracer, tokenizer, place),
    teacherClient: null,
    rewardLoopWorkerHandles: options.rewardManager ? [options.rewardManager] : [],
    transferQueue: adapter.queue,
  };
  let made: Made | null;
  try {
    const deadlineMs = loadDeadlineMs(process.env);
    const making = Promise.resolve((create as (given: object) => Awaitable<Made | null>).call(exported, given));
    made = await withDeadline(making, deadlineMs, () => createTimeout(reference, KEY, deadlineMs));
  } catch (error) {
    if (isVerlError(error)) throw error;
    throw agentErrors.VERL_AGENT_MANAGER_REFUSED({
      what: `the agent-loop manager ${reference} does not take this run`,
      why: reasonOf(error),
      cause: error,
    });
  }
  if (typeof made?.generateSequences === "function") {
    adapter.serve(made as SequenceManager);
    return adapter;
  }
  const own = ["submit", "drain", "cancel"] as const;
  if (made && own.every((method) => typeof made[method] === "function")) return made as AgentLoopManager;
  throw badManager(reference, "create(options) made nothing with a method generateSequences");
}

function badManager(reference: string, what: string) {
  return agentErrors.VERL_AGENT_BAD_MANAGER({
    what: `${reference} is no agent-loop manager: ${what}`,
    where: KEY,
  });
}
