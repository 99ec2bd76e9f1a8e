import { pushWeights } from "../../transfer/index.js";
import type { RunScope } from "../run-scope.js";
import type { RolloutParts } from "./rollout-setup.js";
import { createPlannedEngine, planEngines } from "./run-engines.js";

/** Gives the servers the model with the adapter of `model.lora_adapter_path` merged into it, where one is named. */
export async function serveAdapter(scope: RunScope, { adapters }: Pick<RolloutParts, "adapters">): Promise<void> {
  const { config, services, signal } = scope;
  if (config.actor_rollout_ref.model.lora_adapter_path === null) return;
  const { actor } = planEngines(scope, 0);
  const plan = { ...actor, options: { ...actor.options, optimizer: null } };
  const cleanups: (() => Promise<void>)[] = [];
  try {
    const engine = await createPlannedEngine(plan, { services, ranks: null }, cleanups);
    await engine.initialize({ signal });
    await pushWeights({ engine, adapters, version: 0, signal });
  } finally {
    for (const cleanup of cleanups) await cleanup();
  }
}
