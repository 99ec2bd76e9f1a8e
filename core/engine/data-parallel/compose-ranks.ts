import { composeEngine } from "../compose-engine.js";
import type { BaseEngine, EngineFactory } from "../engine.js";
import { engineErrors } from "../errors.js";
import type { EngineCreation } from "./rank-calls.js";
import type { ReplicaGroup } from "./replicas.js";

/** The processes of ranks 1, 2, … of a data-parallel run; rank 0 is this process. */
export interface RankProcesses {
  /** Rank 0 included. */
  readonly ranks: number;
  /** Aborted with `VERL_ENGINE_RANK_LOST` when one of them ends before it is told to. */
  readonly lost: AbortSignal;
  /** Makes an engine's backend in each of them. */
  createReplicas(creation: EngineCreation): Promise<ReplicaGroup>;
  dispose(): Promise<void>;
}

/** One engine over all ranks: its rank 0 here, the others in their processes. */
export async function composeRanks(
  factory: EngineFactory,
  creation: EngineCreation,
  processes: RankProcesses,
): Promise<BaseEngine> {
  const { optimizer } = creation.options;
  const topology = { rank: 0, size: processes.ranks, isOutputSource: true };
  const first = await factory.createBackend?.({ ...creation.options, topology });
  if (!first?.addGradients || !first.setParameters) {
    throw engineErrors.VERL_ENGINE_ONE_PROCESS({
      what: `the engine ${factory.backends.join(" or ")} trains in one process, and ${processes.ranks} are asked for`,
      where: "trainer.n_gpus_per_node",
    });
  }
  return composeEngine(first, { optimizer, topology, replicas: await processes.createReplicas(creation) });
}
