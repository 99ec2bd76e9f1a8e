import path from "node:path";
import {
  fileExists,
  type ModelConfig,
  parameterSpecs,
  requireFinite,
  SafetensorsReader,
  type TensorSpec,
  type WeightDType,
  writeHfFolder,
  writeSafetensors,
} from "../../../core/formats/index.js";
import type { CallOptions, CheckpointPart, NamedTensor, OptimizerConfig } from "../../../core/plugin.js";
import { errors } from "../errors.js";
import type { OnnxEngineKwargs } from "../options.js";
import { MODEL_FILE, refuseAdapterCheckpoint } from "./checkpoint-kind.js";
import type { LoadedModel } from "./model-loader.js";
import {
  CHECKPOINT_FIX,
  checkOptimizerFile,
  readOptimizer,
  requireFile,
  writeOptimizer,
} from "./optimizer-checkpoint.js";
import type { TrainedParameters } from "./trained-parameters.js";

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
  { config, trained }: { readonly config: ModelConfig; readonly trained: TrainedParameters },
  kwargs: CheckpointKwargs,
  options: CallOptions = {},
): Promise<void> {
  const { store, optimizer } = trained;
  if (holdsWeights(parts)) {
    await readWeights(await openWeights(dir, parts, config), dir, trained, kwargs, options);
    optimizer?.restartAverage();
  }
  if (parts.includes("optimizer") && optimizer) {
    const file = path.join(dir, OPTIMIZER_FILE);
    await requireFile(file);
    await readOptimizer(file, store, optimizer, { ...kwargs, ...options });
  }
}

/** Refuses what {@link restoreModel} would refuse for another reason than the values themselves. */
export async function checkModelCheckpoint(
  dir: string,
  parts: readonly CheckpointPart[],
  { config, optimizer }: { readonly config: ModelConfig; readonly optimizer: OptimizerConfig | null },
): Promise<void> {
  if (holdsWeights(parts)) {
    const reader = await openWeights(dir, parts, config);
    try {
      for (const spec of parameterSpecs(config)) requireTensor(reader, spec, dir);
    } finally {
      await reader.close();
    }
  }
  if (parts.includes("optimizer") && optimizer) await checkOptimizerFile(path.join(dir, OPTIMIZER_FILE), optimizer);
}

const holdsWeights = (parts: readonly CheckpointPart[]) => parts.includes("model") || parts.includes("hf_model");

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

async function openWeights(
  dir: string,
  parts: readonly CheckpointPart[],
  config: ModelConfig,
): Promise<SafetensorsReader> {
  const own = path.join(dir, MODEL_FILE);
  const useOwn = parts.includes("model") && (await fileExists(own));
  const folder = path.join(dir, HF_FOLDER);
  if (!useOwn && parts.includes("hf_model") && (await fileExists(folder))) {
    const reader = await SafetensorsReader.openFolder(folder);
    if (reader) return reader;
  }
  await refuseAdapterCheckpoint(dir, config);
  await requireFile(own);
  return SafetensorsReader.open(own);
}

function requireTensor(reader: SafetensorsReader, { name, shape }: TensorSpec, where: string): void {
  const stored = reader.get(name);
  if (stored?.shape.join() === shape.join()) return;
  const what = stored
    ? `${name} has shape [${stored.shape}], this model has [${shape}]`
    : `it has no ${name}, which this model has`;
  throw errors.VERL_ONNX_BAD_CHECKPOINT({ what, where });
}

async function readWeights(
  reader: SafetensorsReader,
  dir: string,
  { store }: TrainedParameters,
  { allowNonFinite }: CheckpointKwargs,
  { signal }: CallOptions,
): Promise<void> {
  try {
    for (const parameter of store.parameters) {
      signal?.throwIfAborted();
      const { name } = parameter;
      requireTensor(reader, parameter, dir);
      const { data } = await reader.readF32(name, store.values(parameter));
      if (!allowNonFinite) requireFinite(name, data, dir, CHECKPOINT_FIX);
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
