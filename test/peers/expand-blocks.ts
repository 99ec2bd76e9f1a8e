import { text } from "node:stream/consumers";
import { ggufType } from "../../core/formats/gguf/types.js";

/** The other side of `gguf_blocks.py`: `{ name: { id, blocks } }` on standard input, `{ name: values }` out, all base64. */
const cases: Record<string, { id: number; blocks: string }> = JSON.parse(await text(process.stdin));
const results: Record<string, string> = {};
for (const [name, { id, blocks }] of Object.entries(cases)) {
  const type = ggufType(id);
  if (!type?.dequantise) throw new Error(`type ${id} is not read`);
  const bytes = Uint8Array.from(Buffer.from(blocks, "base64"));
  const out = new Float32Array((bytes.length / type.blockBytes) * type.blockElements);
  type.dequantise(bytes, out);
  results[name] = Buffer.from(out.buffer).toString("base64");
}
process.stdout.write(JSON.stringify(results));
