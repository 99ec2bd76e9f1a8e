import type { CheckpointPart, EngineOptions } from "../../core/plugin.js";
import { checkAdapterCheckpoint } from "./adapters/adapter-checkpoint.js";
import { checkModelCheckpoint } from "./backend/checkpoint.js";
import { HEADS } from "./heads.js";
import { plannedAdapter, plannedModel } from "./planned-model.js";

/** Refuses what an engine made from these options would refuse to load, as far as headers and settings in the files tell. */
export async function checkOnnxCheckpoint(
  { model, modelType = "language_model", adapter, optimizer }: EngineOptions,
  dir: string,
  parts: readonly CheckpointPart[],
): Promise<void> {
  const config = await plannedModel(model, HEADS[modelType]);
  if (adapter) {
    const shape = await plannedAdapter(adapter, config);
    await checkAdapterCheckpoint(dir, parts, { config, shape, optimizer });
  } else await checkModelCheckpoint(dir, parts, { config, optimizer });
}
