import { access } from "node:fs/promises";
import path from "node:path";
import {
  type ModelConfig,
  requireFinite,
  SafetensorsReader,
  type WeightDType,
  writeHfFolder,
  writeSafetensors,
} from "../../../core/formats/index.js";
import type { CallOptions, CheckpointPart } from "../../../core/plugin.js";
import { errors } from "../errors.js";
import type { Optimizer } from "../optimizer/optimizer.js";
import type { OnnxEngineKwargs } from "../options.js";
import type { LoadedModel } from "./model-loader.js";
import { readOptimizer, writeOptimizer } from "./optimizer-checkpoint.js";
import type { ParameterStore } from "./parameter-store.js";

/**
 * What a checkpoint is made of. Files: `model.safetensors`, `optimizer.safetensors` (float32), `huggingface/`, and
 * `huggingface_ema/` with the moving average of the weights where one is kept.
 */
export interface CheckpointState {
  readonly model: LoadedModel;
  readonly store: ParameterStore;
  readonly optimizer: Optimizer | null;
  readonly kwargs: Pick<OnnxEngineKwargs, "exportDtype" | "exportShardMiB" | "allowNonFinite">;
}

const MODEL_FILE = "model.safetensors";
const OPTIMIZER_FILE = "optimizer.safetensors";
const HF_FOLDER = "huggingface";
const AVERAGE_FOLDER = "huggingface_ema";

export async function saveCheckpoint(
  dir: string,
  parts: readonly CheckpointPart[],
  state: CheckpointState,
  options: CallOptions = {},
): Promise<void> {
  const { store, optimizer } = state;
  if (parts.includes("model")) {
    await writeSafetensors(path.join(dir, MODEL_FILE), store.namedValues(), { layout: store.parameters, dtype: "f32" });
  }
  options.signal?.throwIfAborted();
  if (parts.includes("optimizer") && optimizer) await writeOptimizer(path.join(dir, OPTIMIZER_FILE), store, optimizer);
  options.signal?.throwIfAborted();
  if (parts.includes("hf_model")) {
    await exportModel(path.join(dir, HF_FOLDER), state);
    if (optimizer?.keepsAverage) {
      await optimizer.withAverage(() => exportModel(path.join(dir, AVERAGE_FOLDER), state));
    }
  }
}

async function exportModel(folder: string, { model, store, kwargs }: CheckpointState): Promise<void> {
  await writeHfFolder(folder, {
    config: model.config,
    tensors: store.namedValues(),
    tokenizerFiles: await model.tokenizerFiles(),
    dtype: kwargs.exportDtype ?? sourceDtype(model.config),
    maxShardBytes: kwargs.exportShardMiB * 2 ** 20,
  });
}

/** `hf_model` is an export and is read only where `model` is absent. */
export async function restoreCheckpoint(
  dir: string,
  parts: readonly CheckpointPart[],
  state: CheckpointState,
  options: CallOptions = {},
): Promise<void> {
  const { store, optimizer } = state;
  if (parts.includes("model") || parts.includes("hf_model")) {
    await readWeights(dir, parts, state, options);
    optimizer?.restartAverage();
  }
  if (parts.includes("optimizer") && optimizer) {
    const file = path.join(dir, OPTIMIZER_FILE);
    await requireFile(file);
    await readOptimizer(file, store, optimizer, options);
  }
}

async function openWeights(dir: string, parts: readonly CheckpointPart[]): Promise<SafetensorsReader> {
  const own = path.join(dir, MODEL_FILE);
  const useOwn = parts.includes("model") && (await exists(own));
  const folder = path.join(dir, HF_FOLDER);
  if (!useOwn && parts.includes("hf_model") && (await exists(folder))) {
    const reader = await SafetensorsReader.openFolder(folder);
    if (reader) return reader;
  }
  await requireFile(own);
  return SafetensorsReader.open(own);
}

async function readWeights(
  dir: string,
  parts: readonly CheckpointPart[],
  { store, kwargs }: CheckpointState,
  { signal }: CallOptions,
): Promise<void> {
  const reader = await openWeights(dir, parts);
  try {
    for (const parameter of store.parameters) {
      signal?.throwIfAborted();
      const { name, shape } = parameter;
      const stored = reader.get(name);
      if (stored && stored.shape.join() !== shape.join()) {
        throw errors.VERL_ONNX_BAD_CHECKPOINT({
          what: `${name} has shape [${stored.shape}], this model has [${shape}]`,
          where: dir,
        });
      }
      const { data } = await reader.readF32(name, store.values(parameter));
      if (!kwargs.allowNonFinite) requireFinite(name, data, dir);
    }
  } finally {
    await reader.close();
  }
}

async function requireFile(file: string): Promise<void> {
  if (await exists(file)) return;
  throw errors.VERL_ONNX_BAD_CHECKPOINT({ what: `the checkpoint has no ${path.basename(file)}`, where: file });
}

/** The precision that the model was published in. */
function sourceDtype(config: ModelConfig): WeightDType {
  const named = config.raw.dtype ?? config.raw.torch_dtype;
  return named === "bfloat16" ? "bf16" : named === "float16" ? "f16" : "f32";
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
