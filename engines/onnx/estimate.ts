import type { EngineOptions, EngineWork, MemoryPart, OptimizerConfig, RolloutOptions } from "../../core/plugin.js";
import { HEADS } from "./heads.js";
import { parseEngineKwargs } from "./options.js";
import { plannedAdapter, plannedModel } from "./planned-model.js";
import { kvCacheStays, rolloutMemory } from "./rollout/memory.js";
import { parseOnnxOptions } from "./rollout/options.js";
import { parseQuantization } from "./rollout/quantization.js";
import { trainingMemory } from "./training-memory.js";

/** What {@link trainingMemory} says of an engine that would be made from these options. */
export async function estimateEngine(
  { modelType = "language_model", model, optimizer, adapter, extra }: EngineOptions,
  work: EngineWork,
): Promise<readonly MemoryPart[]> {
  const { logitsMemoryMiB, attentionMemoryMiB } = parseEngineKwargs(extra);
  const config = await plannedModel(model, HEADS[modelType]);
  const memory = trainingMemory(config, {
    ...work,
    adapter: adapter ? await plannedAdapter(adapter, config) : undefined,
    logitsMemoryMiB,
    attentionMemoryMiB,
    trains: optimizer !== null,
    optimizerStates: optimizer ? statesOf(optimizer) : 0,
  });
  return [
    { name: optimizer ? "weights, gradients and optimizer" : "weights", bytes: memory.parameters, during: "always" },
    { name: "activations", bytes: memory.activations, during: "training" },
    { name: "attention", bytes: memory.attention, during: "training" },
    { name: "logits", bytes: memory.logits, during: "training" },
  ];
}

/** What {@link rolloutMemory} says of a server; its cache makes room for training unless it is small. */
export async function estimateRollout({
  model,
  maxNumSeqs,
  maxModelLen,
  quantization,
  extra,
}: RolloutOptions): Promise<readonly MemoryPart[]> {
  const memory = rolloutMemory(await plannedModel(model), {
    maxNumSeqs,
    maxModelLen,
    quantization: parseQuantization(quantization),
  });
  const stays = kvCacheStays(memory.kvCache, parseOnnxOptions(extra).keepCacheMiB);
  return [
    { name: "weights", bytes: memory.weights, during: "always" },
    { name: "cache", bytes: memory.kvCache, during: stays ? "always" : "sampling" },
    { name: "logits", bytes: memory.logits, during: "sampling" },
  ];
}

/** Arrays of the size of the weights. Muon keeps one for matrices and two for the rest: two bound it. */
function statesOf({ name, momentum, emaDecay }: OptimizerConfig): number {
  const moments = name === "sgd" ? (momentum ? 1 : 0) : 2;
  return moments + (emaDecay === null || emaDecay === undefined ? 0 : 1);
}
