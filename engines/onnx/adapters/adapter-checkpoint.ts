import path from "node:path";
import {
  type LoraShape,
  type ModelConfig,
  openAdapter,
  readJsonObject,
  writeFileAtomically,
} from "../../../core/formats/index.js";
import { makeFolder } from "../../../core/host/index.js";
import type { CallOptions, CheckpointPart, OptimizerConfig } from "../../../core/plugin.js";
import { ADAPTER_FOLDER, INDEX_FILE, refuseModelCheckpoint, refuseOtherShape } from "../backend/checkpoint-kind.js";
import {
  CHECKPOINT_FIX,
  checkOptimizerFile,
  readOptimizer,
  requireFile,
  writeOptimizer,
} from "../backend/optimizer-checkpoint.js";
import { errors } from "../errors.js";
import { DEFAULT_ADAPTER, fillFrom, type OnnxAdapters } from "./adapter-set.js";

/** Which adapters a checkpoint holds. */
interface AdapterIndex {
  readonly version: 1;
  /** Fingerprint of the model that they belong to. */
  readonly model: string;
  readonly active: string;
  readonly names: readonly string[];
}

const adapterFolder = (dir: string, name: string) =>
  path.join(dir, ADAPTER_FOLDER, ...(name === DEFAULT_ADAPTER ? [] : [name]));
const optimizerFile = (dir: string, name: string) =>
  path.join(dir, name === DEFAULT_ADAPTER ? "optimizer.safetensors" : `optimizer-${name}.safetensors`);

/** Write the adapters alone: the model that they change is not part of the checkpoint. */
export async function saveAdapters(
  dir: string,
  parts: readonly CheckpointPart[],
  adapters: OnnxAdapters,
  options: CallOptions = {},
): Promise<void> {
  const { names, active, fingerprint: model } = adapters;
  for (const name of names) {
    options.signal?.throwIfAborted();
    if (parts.includes("model")) {
      await makeFolder(adapterFolder(dir, name));
      await adapters.save(name, adapterFolder(dir, name), options);
    }
    const { store, optimizer } = adapters.get(name);
    if (parts.includes("optimizer") && optimizer) await writeOptimizer(optimizerFile(dir, name), store, optimizer);
  }
  const index: AdapterIndex = { version: 1, model, active, names };
  const text = `${JSON.stringify(index, null, 2)}\n`;
  await writeFileAtomically(path.join(dir, INDEX_FILE), (file) => file.writeFile(text));
}

/** Read the adapters of a checkpoint; those that this engine does not have yet are added. */
export async function restoreAdapters(
  dir: string,
  parts: readonly CheckpointPart[],
  adapters: OnnxAdapters,
  options: CallOptions & { readonly allowNonFinite?: boolean } = {},
): Promise<void> {
  const index = await indexOf(dir, parts, adapters.config);
  if (index === null) return;
  if (index.model !== adapters.fingerprint) {
    throw bad("the adapters belong to a model with other weights", dir);
  }
  for (const name of index.names) {
    options.signal?.throwIfAborted();
    if (parts.includes("model")) await restoreAdapter(adapterFolder(dir, name), name, adapters, options);
    const { store, optimizer } = adapters.get(name);
    if (!parts.includes("optimizer") || !optimizer) continue;
    await requireFile(optimizerFile(dir, name));
    await readOptimizer(optimizerFile(dir, name), store, optimizer, options);
  }
  await adapters.use(index.active);
}

/** Refuses what {@link restoreAdapters} would refuse for another reason than the values themselves. */
export async function checkAdapterCheckpoint(
  dir: string,
  parts: readonly CheckpointPart[],
  {
    config,
    shape,
    optimizer,
  }: { readonly config: ModelConfig; readonly shape: LoraShape; readonly optimizer: OptimizerConfig | null },
): Promise<void> {
  const index = await indexOf(dir, parts, config);
  if (index === null) return;
  for (const name of index.names) {
    // Those that an engine does not begin with are added as they are.
    if (parts.includes("model") && name === DEFAULT_ADAPTER) {
      const folder = adapterFolder(dir, name);
      const source = await openAdapter(folder, config);
      await source.close();
      refuseOtherShape(name, { saved: source.shape, wanted: shape }, config, folder);
    }
    if (parts.includes("optimizer") && optimizer) await checkOptimizerFile(optimizerFile(dir, name), optimizer);
  }
}

/** Null where nothing is asked for that a checkpoint of adapters holds. */
async function indexOf(
  dir: string,
  parts: readonly CheckpointPart[],
  config: ModelConfig,
): Promise<AdapterIndex | null> {
  if (!parts.includes("model") && !parts.includes("optimizer")) {
    if (!parts.includes("hf_model")) return null;
    throw bad("hf_model holds the model with the adapter merged into it, which cannot be taken apart", dir);
  }
  await refuseModelCheckpoint(dir, config);
  return readIndex(path.join(dir, INDEX_FILE));
}

async function restoreAdapter(folder: string, name: string, adapters: OnnxAdapters, options: CallOptions) {
  if (!adapters.names.includes(name)) return adapters.add(name, { path: folder });
  const { shape, store, optimizer } = adapters.get(name);
  const source = await openAdapter(folder, adapters.config, CHECKPOINT_FIX);
  try {
    refuseOtherShape(name, { saved: source.shape, wanted: shape }, adapters.config, folder);
    await fillFrom(source, store, options);
    optimizer?.restartAverage();
  } finally {
    await source.close();
  }
}

async function readIndex(file: string): Promise<AdapterIndex> {
  await requireFile(file);
  const { version, model, active, names } = await readJsonObject(file);
  const isText = (value: unknown) => typeof value === "string";
  if (
    version === 1 &&
    isText(model) &&
    Array.isArray(names) &&
    names.every(isText) &&
    (names as unknown[]).includes(active)
  ) {
    return { version, model, active, names } as AdapterIndex;
  }
  throw bad(`${INDEX_FILE} is not an index of adapters`, file);
}

function bad(what: string, where: string): Error {
  return errors.VERL_ONNX_BAD_CHECKPOINT({ what, where });
}
