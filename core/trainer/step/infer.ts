import type { OutputName } from "../../algorithms/index.js";
import type { BaseEngine, BatchOptions, ModelOutputs } from "../../engine/engine.js";
import { trainerErrors } from "../errors.js";
import type { TrainBatch } from "./train-batch.js";

/** How a forward pass is cut, from `rollout.log_prob_*` or `ref.log_prob_*`. */
export interface InferLimits {
  readonly log_prob_use_dynamic_bsz: boolean;
  readonly log_prob_max_token_len_per_gpu: number;
  readonly log_prob_micro_batch_size_per_gpu: number | null;
}

/** A forward pass over the step's sequences; every output that was asked for is there, [R] each. */
export async function inferBatch<const N extends OutputName>(
  engine: BaseEngine,
  batch: TrainBatch,
  outputs: readonly N[],
  limits: InferLimits,
  signal: AbortSignal,
): Promise<Record<N, Float32Array>> {
  const mode = await engine.evalMode();
  try {
    const found = await engine.inferBatch(batch.sequences, outputs, { signal, ...microBatches(limits) });
    return Object.fromEntries(outputs.map((name) => [name, required(found, name)])) as Record<N, Float32Array>;
  } finally {
    await mode[Symbol.asyncDispose]();
  }
}

function microBatches(limits: InferLimits): BatchOptions {
  if (limits.log_prob_use_dynamic_bsz) return { maxTokensPerMicroBatch: limits.log_prob_max_token_len_per_gpu };
  const size = limits.log_prob_micro_batch_size_per_gpu;
  return size === null ? {} : { microBatchSize: size };
}

function required(outputs: ModelOutputs, name: OutputName): Float32Array {
  const values = outputs[name];
  if (values) return values;
  throw trainerErrors.VERL_TRAINER_ENGINE_UNFIT({
    what: `the engine did not return ${name}`,
    fix: "report it to the engine's author",
  });
}
