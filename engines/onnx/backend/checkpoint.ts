import path from "node:path";
import {
  fileExists,
  type ModelConfig,
  requireFinite,
  SafetensorsReader,
  type WeightDType,
  writeHfFolder,
  writeSafetensors,
} from "../../../core/formats/index.js";
import type { CallOptions, CheckpointPart, NamedTensor } from "../../../core/plugin.js";
import { errors } from "../errors.js";
import type { OnnxEngineKwargs } from "../options.js";
import type { LoadedModel } from "./model-loader.js";
import { readOptimizer, writeOptimizer } from "./optimizer-checkpoint.js";
import type { TrainedParameters } from "./trained-parameters.js";

const MODEL_FILE = "model.safetensors";
const OPTIMIZER_FILE = "optimizer.safetensors";
const HF_FOLDER = "huggingface";
/** With the moving average of the weights, where one is kept. */
const AVERAGE_FOLDER = "huggingface_ema";

/** What of the engine's options concerns checkpoints. */
export type CheckpointKwargs = Pick<OnnxEngineKwargs, "exportDtype" | "exportShardMiB" | "allowNonFinite">;

/** Write `model.safetensors` and `optimizer.safetensors`, float32. */
export async function saveModel(
  dir: string,
  parts: readonly CheckpointPart[],
  { store, optimizer }: TrainedParameters,
  { signal }: CallOptions = {},
): Promise<void> {
  if (parts.includes("model")) {
    await writeSafetensors(path.join(dir, MODEL_FILE), store.namedValues(), { layout: store.parameters, dtype: "f32" });
  }
  signal?.throwIfAborted();
  if (parts.includes("optimizer") && optimizer) await writeOptimizer(path.join(dir, OPTIMIZER_FILE), store, optimizer);
}

/** `hf_model` is an export and is read only where `model` is absent. */
export async function restoreModel(
  dir: string,
  parts: readonly CheckpointPart[],
  trained: TrainedParameters,
  kwargs: CheckpointKwargs,
  options: CallOptions = {},
): Promise<void> {
  const { store, optimizer } = trained;
  if (parts.includes("model") || parts.includes("hf_model")) {
    await readWeights(dir, parts, trained, kwargs, options);
    optimizer?.restartAverage();
  }
  if (parts.includes("optimizer") && optimizer) {
    const file = path.join(dir, OPTIMIZER_FILE);
    await requireFile(file);
    await readOptimizer(file, store, optimizer, options);
  }
}

/** Write a Hugging Face folder, `huggingface/` or, with the average of the weights, `huggingface_ema/`. */
export async function exportModel(
  dir: string,
  { config, tokenizerFiles }: LoadedModel,
  tensors: AsyncIterable<NamedTensor>,
  { exportDtype, exportShardMiB }: CheckpointKwargs,
  average: boolean,
): Promise<void> {
  await writeHfFolder(path.join(dir, average ? AVERAGE_FOLDER : HF_FOLDER), {
    config,
    tensors,
    tokenizerFiles: await tokenizerFiles(),
    dtype: exportDtype ?? sourceDtype(config),
    maxShardBytes: exportShardMiB * 2 ** 20,
  });
}

export async function requireFile(file: string): Promise<void> {
  if (await fileExists(file)) return;
  throw errors.VERL_ONNX_BAD_CHECKPOINT({ what: `the checkpoint has no ${path.basename(file)}`, where: file });
}

async function openWeights(dir: string, parts: readonly CheckpointPart[]): Promise<SafetensorsReader> {
  const own = path.join(dir, MODEL_FILE);
  const useOwn = parts.includes("model") && (await fileExists(own));
  const folder = path.join(dir, HF_FOLDER);
  if (!useOwn && parts.includes("hf_model") && (await fileExists(folder))) {
    const reader = await SafetensorsReader.openFolder(folder);
    if (reader) return reader;
  }
  await requireFile(own);
  return SafetensorsReader.open(own);
}

async function readWeights(
  dir: string,
  parts: readonly CheckpointPart[],
  { store }: TrainedParameters,
  { allowNonFinite }: CheckpointKwargs,
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
      if (!allowNonFinite) requireFinite(name, data, dir);
    }
  } finally {
    await reader.close();
  }
}

/** The precision that the model was published in. */
function sourceDtype(config: ModelConfig): WeightDType {
  const named = config.raw.dtype ?? config.raw.torch_dtype;
  return named === "bfloat16" ? "bf16" : named === "float16" ? "f16" : "f32";
}
