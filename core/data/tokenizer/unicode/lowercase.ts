import { LOWERCASE } from "./tables.js";
import { VlqReader } from "./vlq.js";

const MAPPINGS: ReadonlyMap<string, string> = readMappings();

function readMappings(): Map<string, string> {
  const mappings = new Map([["\u0130", "i\u0307"]]);
  const reader = new VlqReader(LOWERCASE);
  for (let start = 0; !reader.done; ) {
    start += reader.number();
    const [count, step, shift] = [reader.number(), reader.number(), reader.signed()];
    for (let i = 0; i < count; i++) {
      const code = start + i * step;
      mappings.set(String.fromCodePoint(code), String.fromCodePoint(code + shift));
    }
  }
  return mappings;
}

/** Lower case character by character, as Rust's `char::to_lowercase`: without regard to context, such as a final sigma. */
export function lowercase(text: string): string {
  let out = "";
  for (const character of text) out += MAPPINGS.get(character) ?? character;
  return out;
}
