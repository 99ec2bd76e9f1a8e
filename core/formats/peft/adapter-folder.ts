import { join } from "node:path";
import type { NamedTensor } from "../../data/batch/tensor.js";
import { makeFolder } from "../../host/util/make-folder.js";
import { shown } from "../../host/util/shown.js";
import { writeFileAtomically } from "../atomic-file.js";
import { formatErrors } from "../errors.js";
import { fileExists, readSettings } from "../json-file.js";
import type { ModelConfig } from "../model.js";
import { requireFinite } from "../non-finite.js";
import { SafetensorsReader } from "../safetensors-reader.js";
import { writeSafetensors } from "../safetensors-writer.js";
import { type AdapterSettings, adapterConfigJson, readAdapterConfig } from "./adapter-config.js";
import { type LoraShape, linearModules, loraNames, loraParameterSpecs } from "./lora.js";

const CONFIG_FILE = "adapter_config.json";
const WEIGHTS_FILE = "adapter_model.safetensors";
/** Before the name of each tensor. */
const PREFIX = "base_model.model.";

/** An adapter on disk, in the layout of PEFT's `save_pretrained`. */
export interface AdapterSource {
  readonly shape: LoraShape;
  readonly dropout: number;
  /** Read a tensor of {@link loraParameterSpecs}, as float32. Refuses numbers that are not finite. */
  readTensor(name: string, into: Float32Array): Promise<void>;
  close(): Promise<void>;
}

/**
 * Open an adapter of a model. Refuses one whose tensors are not exactly those of a plain adapter of this model.
 * @param notFiniteFix  what is done about values that are not finite, where nobody has published them
 */
export async function openAdapter(folder: string, config: ModelConfig, notFiniteFix?: string): Promise<AdapterSource> {
  const settings = readAdapterConfig(await readSettings(join(folder, CONFIG_FILE)), join(folder, CONFIG_FILE));
  const file = join(folder, WEIGHTS_FILE);
  if (!(await fileExists(file))) {
    throw formatErrors.VERL_FORMATS_ADAPTER_INVALID({
      what: `the adapter has no ${WEIGHTS_FILE}`,
      where: folder,
      fix: "save it with `save_pretrained` of a PEFT that writes safetensors; adapter_model.bin is not read",
    });
  }
  const reader = await SafetensorsReader.open(file);
  try {
    const shape = shapeOf(reader, config, settings, file);
    return {
      shape,
      dropout: settings.dropout,
      async readTensor(name, into) {
        await reader.readF32(PREFIX + name, into);
        requireFinite(name, into, file, notFiniteFix);
      },
      close: () => reader.close(),
    };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/** Write an adapter that PEFT's `from_pretrained` reads, in float32. `base` is the path or name of its model. */
export async function writeAdapter(
  folder: string,
  content: {
    readonly config: ModelConfig;
    readonly shape: LoraShape;
    /** All of {@link loraParameterSpecs}. */
    readonly tensors: Iterable<NamedTensor>;
    readonly base: string | null;
  },
): Promise<void> {
  const { config, shape, tensors, base } = content;
  await makeFolder(folder);
  const prefixed = <T extends { readonly name: string }>(item: T) => ({ ...item, name: PREFIX + item.name });
  await writeSafetensors(join(folder, WEIGHTS_FILE), map(tensors, prefixed), {
    layout: loraParameterSpecs(config, shape).map(prefixed),
    dtype: "f32",
  });
  const text = `${JSON.stringify(adapterConfigJson(config, shape, base), null, 2)}\n`;
  await writeFileAtomically(join(folder, CONFIG_FILE), (file) => file.writeFile(text, "utf8"));
}

function shapeOf(
  reader: SafetensorsReader,
  config: ModelConfig,
  { rank, alpha, rslora }: AdapterSettings,
  where: string,
): LoraShape {
  const modules = linearModules(config)
    .map(({ name }) => name)
    .filter((name) => reader.get(PREFIX + loraNames(name).a) ?? reader.get(PREFIX + loraNames(name).b));
  const shape = { rank, alpha, rslora, modules };
  const wanted = loraParameterSpecs(config, shape);
  const known = new Set(wanted.map(({ name }) => PREFIX + name));
  const stranger = reader.names.find((name) => !known.has(name));
  if (stranger !== undefined) {
    throw formatErrors.VERL_FORMATS_ADAPTER_UNSUPPORTED({
      what: `the adapter has a tensor ${shown(stranger)}, which belongs to no linear map of this model's layers`,
      where,
    });
  }
  for (const { name, shape: expected } of wanted) {
    const found = reader.get(PREFIX + name)?.shape;
    if (found?.join() === expected.join()) continue;
    const what = found ? `has shape [${found}], this model and rank ${rank} need [${expected}]` : "is missing";
    throw formatErrors.VERL_FORMATS_ADAPTER_INVALID({ what: `${PREFIX}${name} ${what}`, where });
  }
  if (modules.length > 0) return shape;
  throw formatErrors.VERL_FORMATS_ADAPTER_INVALID({ what: "the adapter changes no module", where });
}

function* map<A, B>(items: Iterable<A>, change: (item: A) => B): Generator<B> {
  for (const item of items) yield change(item);
}
