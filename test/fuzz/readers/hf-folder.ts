import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { openModel } from "../../../core/formats/index.js";
import { TINY_CONFIG, tinyConfig, tinyTensors } from "../../core/formats/support.js";
import { FAMILY_CONFIGS } from "../../engines/onnx/families/family-configs.js";
import { type FuzzReader, textOf } from "../fuzz-reader.js";
import { withOddMember } from "./odd-json.js";
import { nested } from "./soup.js";
import { safetensorsOf } from "./tiny-safetensors.js";

/** Between config.json, generation_config.json and model.safetensors.index.json. */
const CUT = "\n%%\n";
const SHARD = "model-00001-of-00001.safetensors";
const CONFIG = { ...TINY_CONFIG, rope_scaling: null, rope_theta: 10000, torch_dtype: "float32" };
const GENERATION = { eos_token_id: [2, 3], bos_token_id: 1 };
const tensors = tinyTensors(tinyConfig());
const INDEX = { metadata: { total_size: 1 }, weight_map: Object.fromEntries(tensors.map(({ name }) => [name, SHARD])) };

const folderOf = (config: unknown, generation: unknown = GENERATION, index: unknown = INDEX) =>
  [config, generation, index].map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(CUT);

/** A model folder: configuration, shards by the index, tensors. */
export const hfFolder: FuzzReader = {
  name: "hf-folder",
  seeds: () => [
    folderOf(CONFIG),
    folderOf({ ...CONFIG, tie_word_embeddings: true, num_key_value_heads: 1, head_dim: 4 }),
  ],
  words: [
    '"num_hidden_layers":',
    '"weight_map":',
    '"eos_token_id":',
    "16777216",
    "null",
    "[",
    "{",
    '"rope_scaling":{"rope_type":"default"},',
    '"x.safetensors"',
    '"../x"',
    CUT,
  ],
  generated: fc.oneof(
    withOddMember(CONFIG).map((config) => folderOf(config)),
    fc
      .constantFrom(...Object.values(FAMILY_CONFIGS))
      .chain(withOddMember)
      .map((config) => folderOf(config ?? null)),
    withOddMember(GENERATION).map((generation) => folderOf(CONFIG, generation)),
    withOddMember(INDEX).map((index) => folderOf(CONFIG, GENERATION, index)),
  ),
  hostile: {
    "16 million layers": () => folderOf({ ...CONFIG, num_hidden_layers: 2 ** 24 }),
    "everything as large as it may be": () =>
      folderOf({
        ...CONFIG,
        hidden_size: 2 ** 24,
        intermediate_size: 2 ** 24,
        vocab_size: 2 ** 24,
        num_hidden_layers: 1000,
      }),
    "kinds of layers that are no names": () =>
      folderOf({ ...FAMILY_CONFIGS.qwen3, layer_types: [{ toString: 1 }, []], sliding_window: 4 }),
    "deep values": () => folderOf(`{"model_type": ${nested("[", "]", 100_000)}}`),
    "a deep size": () => folderOf(`{"model_type": "llama", "hidden_size": ${nested("[", "]", 100_000)}}`),
    "deep token ids": () => folderOf(CONFIG, `{"eos_token_id": [${nested("[", "]", 100_000)}]}`),
    "60,000 token ids": () => folderOf(CONFIG, { eos_token_id: Array.from({ length: 60_000 }, (_, i) => i) }),
    "a deep file name": () => folderOf(CONFIG, GENERATION, `{"weight_map": {"w": ${nested("[", "]", 100_000)}}}`),
    "5,000 shards": () =>
      folderOf(CONFIG, GENERATION, {
        weight_map: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`w${i}`, `s${i}.safetensors`])),
      }),
    "shards elsewhere": () => folderOf(CONFIG, GENERATION, { weight_map: { w: "../config.json", v: "\0", u: "" } }),
    "shards that are folders": () => folderOf(CONFIG, GENERATION, { weight_map: { w: "." } }),
  },
  async read(input, folder) {
    const [config = "", generation = "", index = ""] = textOf(input).split(CUT);
    writeFileSync(path.join(folder, "config.json"), config);
    writeFileSync(path.join(folder, "generation_config.json"), generation);
    writeFileSync(path.join(folder, "model.safetensors.index.json"), index);
    writeFileSync(path.join(folder, SHARD), safetensorsOf(tensors));
    const model = await openModel(folder);
    try {
      for (const { name } of model.tensors) await model.readTensor(name);
      return await model.tokenizerFiles();
    } finally {
      await model.close();
    }
  },
};
