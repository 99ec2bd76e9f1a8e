import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type OutputName, packSequences } from "../../core/plugin.js";
import { OnnxBackend } from "../../engines/onnx/backend/onnx-backend.js";
import { HEAD_OUTPUTS } from "../../engines/onnx/models/head.js";
import { writeCase } from "../engines/onnx/adapters/adapter-folders.js";
import { tinyOptions } from "../engines/onnx/backend/fixtures.js";
import { MODEL_TYPES } from "../engines/onnx/families/parity.js";
import { adapterCases } from "../engines/onnx/families/peer-cases.js";

/**
 * `write FOLDER` or `read FOLDER`: the other side of `adapter_folders.py`. A case's folder has its number; in it are
 * `model`, `adapter` and, written by this side, `huggingface` with both merged.
 */
const [action, folder] = process.argv.slice(2);
const results: unknown[] = [];
for (const [i, peer] of adapterCases().entries()) {
  const root = join(folder, String(i));
  await mkdir(root, { recursive: true });
  if (action === "write") await writeCase(peer, root);
  const options = { ...tinyOptions(), modelType: MODEL_TYPES[peer.head], optimizer: null };
  const adapter = { path: join(root, "adapter") };
  const backend = new OnnxBackend({ ...options, model: { path: join(root, "model") }, adapter });
  await backend.load();
  const [name]: readonly OutputName[] = HEAD_OUTPUTS[peer.head];
  results.push(Array.from((await backend.forward(packSequences(peer.sequences), [name]))[name] as Float32Array));
  if (action === "write") await backend.save(root, ["hf_model"]);
  await backend.dispose();
}
console.log(JSON.stringify(results));
