import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openModel, parseModelConfig, type WeightDType, writeHfFolder } from "../../core/formats/index.js";
import { type OutputName, packSequences } from "../../core/plugin.js";
import { OnnxBackend } from "../../engines/onnx/backend/onnx-backend.js";
import { HEADS } from "../../engines/onnx/heads.js";
import { HEAD_OUTPUTS } from "../../engines/onnx/models/head.js";
import { tinyOptions } from "../engines/onnx/backend/fixtures.js";
import { peerCases } from "../engines/onnx/families/peer-cases.js";
import { peerWeights } from "../engines/onnx/families/peer-weights.js";

/** `write FOLDER FAMILY DTYPE MAX_BYTES` or `read FOLDER FAMILY`: the other side of `model_folders.py`. A case's folder has its number. */
const [action, folder, family, dtype, maxBytes] = process.argv.slice(2);
const results: unknown[] = [];
for (const [i, { config: raw, head, sequences }] of peerCases(family).entries()) {
  const path = join(folder, String(i));
  if (action === "write") {
    const config = parseModelConfig(raw, { head });
    await mkdir(path, { recursive: true });
    await writeHfFolder(path, {
      config,
      tensors: peerWeights(config),
      tokenizerFiles: null,
      dtype: dtype as WeightDType,
      maxShardBytes: Number(maxBytes),
    });
  } else {
    const modelType = (Object.keys(HEADS) as (keyof typeof HEADS)[]).find((type) => HEADS[type] === head);
    const backend = new OnnxBackend({ ...tinyOptions(), modelType, model: { path }, optimizer: null });
    await backend.load();
    const [name]: readonly OutputName[] = HEAD_OUTPUTS[head];
    const outputs = await backend.forward(packSequences(sequences), [name]);
    results.push(Array.from(outputs[name] as Float32Array));
    await backend.dispose();
    // The tokenizer is read by the same entry.
    await (await openModel(path, { head })).close();
  }
}
console.log(JSON.stringify(results));
