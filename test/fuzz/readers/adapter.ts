import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { type LoraShape, loraParameterSpecs, openAdapter } from "../../../core/formats/index.js";
import { tinyConfig } from "../../core/formats/support.js";
import { type FuzzReader, textOf } from "../fuzz-reader.js";
import { withOddMember } from "./odd-json.js";
import { nested } from "./soup.js";
import { headerOf, safetensorsFile } from "./tiny-safetensors.js";

/** Between adapter_config.json and the header of adapter_model.safetensors. */
const CUT = "\n%%\n";
const CONFIG = {
  peft_type: "LORA",
  task_type: "CAUSAL_LM",
  base_model_name_or_path: "base",
  r: 2,
  lora_alpha: 4,
  lora_dropout: 0.1,
  use_rslora: false,
  target_modules: ["q_proj"],
  bias: "none",
  rank_pattern: {},
  init_lora_weights: true,
};
const model = tinyConfig();
const SHAPE: LoraShape = {
  rank: 2,
  alpha: 4,
  rslora: false,
  modules: [0, 1].map((layer) => `model.layers.${layer}.self_attn.q_proj`),
};
const specs = loraParameterSpecs(model, SHAPE);
const WEIGHTS = headerOf(specs.map(({ name, shape }) => ({ name: `base_model.model.${name}`, shape })));
/** Enough for {@link WEIGHTS}. */
const DATA = new Uint8Array(4 * specs.reduce((sum, { shape }) => sum + shape[0] * shape[1], 0));

const folderOf = (config: unknown, weights: unknown = WEIGHTS) =>
  [config, weights].map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(CUT);

/** A PEFT adapter's folder. */
export const adapter: FuzzReader = {
  name: "adapter",
  seeds: () => [folderOf(CONFIG), folderOf({ ...CONFIG, use_rslora: true, init_lora_weights: "gaussian" })],
  words: ['"r":', '"rank_pattern":{"a":1}', "lora_A.weight", "lora_embedding_A", "null", "[", "{", "16777216", CUT],
  generated: fc.oneof(
    withOddMember(CONFIG).map((config) => folderOf(config ?? null)),
    withOddMember(WEIGHTS).map((weights) => folderOf(CONFIG, weights ?? null)),
  ),
  hostile: {
    "a rank of 16 million": () => folderOf({ ...CONFIG, r: 2 ** 24 }),
    "a rank of 10^308": () => folderOf({ ...CONFIG, r: 1e308 }),
    "deep values": () => folderOf(`{"peft_type": ${nested("[", "]", 100_000)}}`),
    "long values": () => folderOf({ ...CONFIG, peft_type: "x".repeat(300_000) }),
    "100,000 rank patterns": () => folderOf({ ...CONFIG, rank_pattern: Array(100_000).fill("x") }),
    "a tensor with a long name": () => folderOf(CONFIG, { ["w".repeat(200_000)]: WEIGHTS[Object.keys(WEIGHTS)[0]] }),
    "no tensors": () => folderOf(CONFIG, {}),
  },
  async read(input, folder) {
    const [config = "", header = ""] = textOf(input).split(CUT);
    writeFileSync(path.join(folder, "adapter_config.json"), config);
    writeFileSync(path.join(folder, "adapter_model.safetensors"), safetensorsFile(header, DATA));
    const source = await openAdapter(folder, model);
    try {
      for (const { name, shape } of loraParameterSpecs(model, source.shape)) {
        await source.readTensor(name, new Float32Array(shape[0] * shape[1]));
      }
    } finally {
      await source.close();
    }
  },
};
