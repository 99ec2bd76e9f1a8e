import type { AgentLoopMarks } from "../../agent/agent-loop.js";
import { type AgentLoopList, loadAgentLoops, type ManagerSource, managerMarks } from "../../agent/index.js";
import type { Row } from "../../data/index.js";
import type { InputScope } from "../run-scope.js";

/** The agent loops of a run, as far as they are known before anything starts. */
export interface RunLoops {
  readonly list: AgentLoopList;
  /** Of the loop that runs a row: that of its `agent_name`, or the default; none for a name that nobody has. */
  marksOf(row: Row): AgentLoopMarks;
}

type LoopScope = Pick<InputScope, "config" | "services" | "cwd">;

export async function createRunLoops(scope: LoopScope): Promise<RunLoops> {
  const { config, services, cwd } = scope;
  const { agent } = config.actor_rollout_ref.rollout;
  const list = await loadAgentLoops({
    configPath: agent.agent_loop_config_path,
    cwd,
    registered: (name) => services.registries.agentLoops.require(name),
    loadUserModule: services.loadUserModule,
  });
  const ofManager = await managerMarks(managerSource(scope));
  return {
    list,
    marksOf: ({ agent_name: name }) =>
      ofManager ?? list.marks(typeof name === "string" ? name : agent.default_agent_loop),
  };
}

/** Where the manager of a run comes from. */
export function managerSource({ config, services }: LoopScope): ManagerSource {
  return {
    reference: config.actor_rollout_ref.rollout.agent.agent_loop_manager_class,
    registered: (name) => services.registries.agentLoopManagers.require(name),
    loadUserModule: services.loadUserModule,
  };
}
