import { CodePointSet } from "./code-point-set.js";
import { SCRIPT_NAMES, SCRIPT_RUNS, SCRIPTS } from "./tables.js";
import { VlqReader } from "./vlq.js";

/** Calls back with the first and the last code point of every run, and its class. */
function readRuns(runs: string, take: (first: number, last: number, kind: number) => void): void {
  const reader = new VlqReader(runs);
  for (let start = 0; !reader.done; ) {
    const end = start + reader.number();
    take(start, end - 1, reader.number());
    start = end;
  }
}

const CLASSES = new Uint8Array(0x110000);
readRuns(SCRIPTS, (first, last, kind) => CLASSES.fill(kind, first, last + 1));

/** A number for the script of a character (Han, Hiragana and Katakana are one); 0 for what goes with any script. */
export function scriptClass(code: number): number {
  return CLASSES[code];
}

/** Characters of a script of regular expressions, by its name in lower case and without underscores. */
export function inScript(name: string): CodePointSet | null {
  const index = SCRIPT_NAMES.split(" ").findIndex((known) => known.toLowerCase().replaceAll("_", "") === name);
  if (index < 0) return null;
  const ranges: [number, number][] = [];
  readRuns(SCRIPT_RUNS, (first, last, kind) => {
    if (kind === index) ranges.push([first, last]);
  });
  return CodePointSet.of(...ranges);
}
