import { access } from "node:fs/promises";
import path from "node:path";
import {
  type ModelConfig,
  SafetensorsReader,
  type TensorSpec,
  type WeightDType,
  writeHfFolder,
  writeSafetensors,
} from "../../../core/formats/index.js";
import type { CallOptions, CheckpointPart } from "../../../core/plugin.js";
import { errors } from "../errors.js";
import type { AdamW } from "../optimizer/adamw.js";
import type { LoadedModel } from "./model-loader.js";
import type { ParameterArray, ParameterStore } from "./parameter-store.js";

/** What a checkpoint is made of. Files: `model.safetensors`, `optimizer.safetensors` (float32), `huggingface/`. */
export interface CheckpointState {
  readonly model: LoadedModel;
  readonly store: ParameterStore;
  readonly optimizer: AdamW | null;
  readonly exportDtype: WeightDType | undefined;
}

const MODEL_FILE = "model.safetensors";
const OPTIMIZER_FILE = "optimizer.safetensors";
const HF_FOLDER = "huggingface";
const STEPS = "steps";

export async function saveCheckpoint(
  dir: string,
  parts: readonly CheckpointPart[],
  state: CheckpointState,
  options: CallOptions = {},
): Promise<void> {
  const { model, store, optimizer } = state;
  if (parts.includes("model")) {
    const layout = layoutOf(store, "");
    await writeSafetensors(path.join(dir, MODEL_FILE), store.named("values"), { layout, dtype: "f32" });
  }
  options.signal?.throwIfAborted();
  if (parts.includes("optimizer") && optimizer) {
    await writeSafetensors(path.join(dir, OPTIMIZER_FILE), moments(store), {
      layout: [...layoutOf(store, "m."), ...layoutOf(store, "v.")],
      dtype: "f32",
      metadata: { format: "pt", [STEPS]: String(optimizer.steps) },
    });
  }
  options.signal?.throwIfAborted();
  if (parts.includes("hf_model")) {
    await writeHfFolder(path.join(dir, HF_FOLDER), {
      config: model.config,
      tensors: store.named("values"),
      tokenizerFiles: await model.tokenizerFiles(),
      dtype: state.exportDtype ?? sourceDtype(model.config),
    });
  }
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
    const own = path.join(dir, MODEL_FILE);
    const useOwn = parts.includes("model") && (await exists(own));
    const file = useOwn || !parts.includes("hf_model") ? own : path.join(dir, HF_FOLDER, MODEL_FILE);
    await readInto(file, store, [["", "values"]], options);
  }
  if (parts.includes("optimizer") && optimizer) {
    const arrays = [["m.", "m"] as const, ["v.", "v"] as const];
    const metadata = await readInto(path.join(dir, OPTIMIZER_FILE), store, arrays, options);
    optimizer.steps = Number(metadata[STEPS] ?? Number.NaN);
    if (!Number.isSafeInteger(optimizer.steps)) {
      throw errors.VERL_ONNX_BAD_CHECKPOINT({
        what: `${OPTIMIZER_FILE} does not say how many updates were done`,
        where: dir,
      });
    }
  }
}

async function readInto(
  file: string,
  store: ParameterStore,
  arrays: readonly (readonly [prefix: string, array: ParameterArray])[],
  options: CallOptions,
): Promise<Readonly<Record<string, string>>> {
  if (!(await exists(file))) {
    throw errors.VERL_ONNX_BAD_CHECKPOINT({ what: `the checkpoint has no ${path.basename(file)}`, where: file });
  }
  const reader = await SafetensorsReader.open(file);
  try {
    for (const [prefix, array] of arrays) {
      for (const parameter of store.parameters) {
        options.signal?.throwIfAborted();
        const { shape } = await reader.readF32(prefix + parameter.name, store.view(array, parameter));
        if (shape.join() !== parameter.shape.join()) {
          throw errors.VERL_ONNX_BAD_CHECKPOINT({
            what: `${prefix}${parameter.name} has shape [${shape}], this model has [${parameter.shape}]`,
            where: file,
          });
        }
      }
    }
    return reader.metadata;
  } finally {
    await reader.close();
  }
}

function* moments(store: ParameterStore) {
  yield* store.named("m", "m.");
  yield* store.named("v", "v.");
}

function layoutOf(store: ParameterStore, prefix: string): TensorSpec[] {
  return store.parameters.map(({ name, shape }) => ({ name: prefix + name, shape }));
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
