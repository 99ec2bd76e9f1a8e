import {
  chooseModules,
  type HeadKind,
  type LoraShape,
  type ModelConfig,
  openAdapter,
  openModel,
  parameterSpecs,
  parseModelConfig,
} from "../../core/formats/index.js";
import type { AdapterConfig, EngineOptions, RolloutOptions } from "../../core/plugin.js";
import { refuseDropout } from "./adapters/adapter-check.js";
import { errors } from "./errors.js";

/** The model that options name, from its configuration and the headers of its files. */
export async function plannedModel(
  model: EngineOptions["model"] | RolloutOptions["model"],
  head: HeadKind = "languageModel",
): Promise<ModelConfig> {
  return (await openPlanned(model, head)).config;
}

/** As {@link plannedModel}, of one that is only read: its head must be in the files. */
export async function plannedReader(model: EngineOptions["model"], head: HeadKind): Promise<ModelConfig> {
  const { config, names } = await openPlanned(model, head);
  if ("path" in model) refuseMissingHead(config, names, model.path);
  return config;
}

/** A value or score head that nothing would train. @throws VERL_ONNX_NO_HEAD */
export function refuseMissingHead(config: ModelConfig, stored: ReadonlySet<string>, where: string): void {
  const missing = parameterSpecs(config).find(({ name }) => !stored.has(name));
  if (!missing) return;
  throw errors.VERL_ONNX_NO_HEAD({ what: `the model has no ${missing.name}, and nothing would train one`, where });
}

async function openPlanned(
  model: EngineOptions["model"] | RolloutOptions["model"],
  head: HeadKind,
): Promise<{ readonly config: ModelConfig; readonly names: ReadonlySet<string> }> {
  if ("config" in model)
    return { config: parseModelConfig(model.config, { head, handwritten: true }), names: new Set() };
  const opened = await openModel(model.path, { head });
  try {
    return { config: opened.config, names: new Set(opened.tensors.map(({ name }) => name)) };
  } finally {
    await opened.close();
  }
}

/** The adapter that options describe, or the one in the folder that they name. */
export function plannedAdapter(adapter: AdapterConfig, config: ModelConfig): Promise<LoraShape> | LoraShape {
  return "path" in adapter ? readAdapterShape(adapter.path, config, false) : describedShape(adapter, config);
}

export function describedShape(adapter: Exclude<AdapterConfig, { path: string }>, config: ModelConfig): LoraShape {
  const { rank, alpha, rslora = false } = adapter;
  return { rank, alpha, rslora, modules: chooseModules(config, adapter) };
}

/** @param trains  the adapter goes on being trained */
export async function readAdapterShape(path: string, config: ModelConfig, trains: boolean): Promise<LoraShape> {
  const opened = await openAdapter(path, config);
  try {
    if (trains) refuseDropout(opened.dropout, path);
    return opened.shape;
  } finally {
    await opened.close();
  }
}
