import { text } from "node:stream/consumers";
import { packSequences } from "../../core/plugin.js";
import { OnnxBackend } from "../../engines/onnx/backend/onnx-backend.js";
import { tinyOptions } from "../engines/onnx/backend/fixtures.js";

/** `{ path, ids }` on standard input; the engine's log-probability of each next token out. */
const { path, ids }: { path: string; ids: number[] } = JSON.parse(await text(process.stdin));
const backend = new OnnxBackend({ ...tinyOptions(), model: { path }, optimizer: null });
await backend.load();
const batch = packSequences([{ promptIds: ids.slice(0, 1), responseIds: ids.slice(1) }]);
const { logProb } = await backend.forward(batch, ["logProb"]);
await backend.dispose();
process.stdout.write(JSON.stringify([...(logProb as Float32Array)]));
