import path from "node:path";
import { writeFileAtomically } from "../formats/index.js";
import type { JsonValue } from "../host/types.js";
import { makeFolder } from "../host/util/make-folder.js";

/** One line of a dump: what the model saw and wrote, and how it was scored. */
export interface DumpRow {
  /** Prompt and response as text. */
  readonly input: string;
  readonly output: string;
  /** Ground truth. */
  readonly gts: JsonValue;
  readonly score: number | null;
  readonly step: number;
  /** The whole trajectory key. */
  readonly uid: string;
  /** Further values of the reward. */
  readonly [extra: string]: JsonValue;
}

const LINES_AT_ONCE = 256;

/**
 * Write `{dir}/{step}.jsonl` (`trainer.rollout_data_dir`, `trainer.validation_data_dir`), one object a line in the order
 * given, non-ASCII text as it is. An older dump of the step is replaced, and never by half a file. Returns the path.
 */
export async function writeDump(dir: string, step: number, rows: readonly DumpRow[]): Promise<string> {
  await makeFolder(dir);
  const file = path.join(dir, `${step}.jsonl`);
  await writeFileAtomically(file, async (handle) => {
    for (let start = 0; start < rows.length; start += LINES_AT_ONCE) {
      const lines = rows.slice(start, start + LINES_AT_ONCE).map((row) => `${JSON.stringify(row)}\n`);
      await handle.appendFile(lines.join(""));
    }
  });
  return file;
}
