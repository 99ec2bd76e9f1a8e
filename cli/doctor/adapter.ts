import path from "node:path";
import type { RunConfig } from "../../core/config/index.js";
import {
  loraParameterSpecs,
  type ModelConfig,
  openAdapter,
  openModel,
  parseModelConfig,
} from "../../core/formats/index.js";
import { isVerlError, reasonOf } from "../../core/host/basics.js";
import type { Diagnosis } from "../../core/plugin.js";

const NAME = "adapter";

/**
 * The adapter to begin with: its description, its tensors by name and shape, and their values.
 * @param base  where the model's files are; null: not here, or described by the configuration
 */
export async function diagnoseAdapter(config: RunConfig, base: string | null, cwd: string): Promise<Diagnosis[]> {
  const { model } = config.actor_rollout_ref;
  if (model.lora_adapter_path === null) return [];
  const folder = path.resolve(cwd, model.lora_adapter_path);
  let shape: ModelConfig;
  try {
    if (base !== null) shape = await configAt(base);
    else if (model.config !== null) shape = parseModelConfig(model.config);
    else return [];
  } catch {
    // What is wrong with the model is said of the model.
    const detail = `the model of ${folder} cannot be read, so it was not looked at`;
    return [{ name: NAME, status: "warning", detail }];
  }
  try {
    const opened = await openAdapter(folder, shape);
    try {
      const specs = loraParameterSpecs(shape, opened.shape);
      for (const { name, shape: dims } of specs) {
        await opened.readTensor(name, new Float32Array(dims.reduce((a, b) => a * b, 1)));
      }
      const { rank, alpha, modules } = opened.shape;
      const detail = `${specs.length} tensors for ${modules.length} modules, rank ${rank}, alpha ${alpha}; all values are finite`;
      return [{ name: NAME, status: "ok", detail }];
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (!isVerlError(error)) return [{ name: NAME, status: "failed", detail: `${folder}: ${reasonOf(error)}` }];
    const where = error.where === undefined ? "" : ` (${error.where})`;
    const detail = `${error.code}: ${error.what}${where}`;
    return [{ name: NAME, status: "failed", detail, ...(error.fix === undefined ? {} : { fix: error.fix }) }];
  }
}

async function configAt(base: string): Promise<ModelConfig> {
  const opened = await openModel(base);
  try {
    return opened.config;
  } finally {
    await opened.close();
  }
}
