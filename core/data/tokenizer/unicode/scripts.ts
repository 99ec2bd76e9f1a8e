import { SCRIPTS } from "./tables.js";
import { VlqReader } from "./vlq.js";

const CLASSES = readClasses();

function readClasses(): Uint8Array {
  const classes = new Uint8Array(0x110000);
  const reader = new VlqReader(SCRIPTS);
  for (let start = 0; !reader.done; ) {
    const end = start + reader.number();
    classes.fill(reader.number(), start, end);
    start = end;
  }
  return classes;
}

/** A number for the script of a character (Han, Hiragana and Katakana are one); 0 for what goes with any script. */
export function scriptClass(code: number): number {
  return CLASSES[code];
}
