import { createHash } from "node:crypto";
import { openModel } from "../../core/formats/index.js";

/** Print `{ name: sha256 of the float32 values }` of a model, for comparison with other readers. */
const model = await openModel(process.argv[2]);
const hashes: Record<string, string> = {};
for (const { name } of model.tensors) {
  const { data } = await model.readTensor(name);
  hashes[name] = createHash("sha256").update(new Uint8Array(data.buffer)).digest("hex");
}
await model.close();
console.log(JSON.stringify(hashes));
