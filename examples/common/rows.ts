import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** Write rows of a data set, one JSON object a line. */
export async function writeRows(file: string, rows: readonly object[]): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`);
}
