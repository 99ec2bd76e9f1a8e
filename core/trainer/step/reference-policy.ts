import { adapterUsed, referenceUsed } from "../../config/index.js";
import type { RunConfig } from "../../config/run-config.js";
import type { BaseEngine } from "../../engine/engine.js";
import { inferBatch } from "./infer.js";
import type { TrainBatch } from "./train-batch.js";

/** The frozen policy from which KL terms measure. */
export interface ReferencePolicy {
  /** Log-probabilities of the step's sequences, [R]. */
  logProb(batch: TrainBatch, signal: AbortSignal): Promise<Float32Array>;
}

/**
 * `own`, an engine with the initial weights; without it the actor with its adapter off, which needs no second copy of the
 * model. Null where no KL is asked for.
 */
export function referencePolicy(config: RunConfig, actor: BaseEngine, own: BaseEngine | null): ReferencePolicy | null {
  const { ref, model } = config.actor_rollout_ref;
  const infer = async (engine: BaseEngine, batch: TrainBatch, signal: AbortSignal) =>
    (await inferBatch(engine, batch, ["logProb"], ref, signal)).logProb;
  if (own) return { logProb: (batch, signal) => infer(own, batch, signal) };
  if (!referenceUsed(config) || !adapterUsed(model)) return null;
  return {
    async logProb(batch, signal) {
      const off = await actor.disableAdapter();
      try {
        return await infer(actor, batch, signal);
      } finally {
        await off[Symbol.asyncDispose]();
      }
    },
  };
}
