import { readFileSync, writeSync } from "node:fs";
import type { BlockedError, RunFolder } from "./board.js";

const STDOUT = 1;
const STDERR = 2;

/** Past the streams of Node.js, which need the main thread. */
export function say(line: string): void {
  write(STDERR, line);
}

/** The error that ends the process, as a card or as the JSON of `--json`. */
export function sayError(error: BlockedError, exitCode: number, json: boolean): void {
  if (json) {
    write(STDOUT, JSON.stringify({ error, exitCode }));
    return;
  }
  const { code, what, where, why, fix, also = [] } = error;
  say(`${code}: ${what}`);
  if (where) say(`  where: ${where}`);
  if (why) say(`  why:   ${why}`);
  if (fix) say(`  fix:   ${fix}`);
  for (const line of also) say(`  also:  ${line}`);
}

/** What is left of a run. */
export function keptOf({ stepFile, goOn }: RunFolder): string {
  let step: number;
  try {
    step = Number.parseInt(readFileSync(stepFile, "utf8"), 10);
  } catch {
    return "the run has no checkpoint yet";
  }
  return `the newest checkpoint is that of step ${step}: ${goOn}`;
}

function write(stream: number, line: string): void {
  try {
    writeSync(stream, `${line}\n`);
  } catch {
    // The reader is gone, or does not read: nothing waits for it here.
  }
}
