import { readFile } from "node:fs/promises";
import { replaceFile } from "./written.js";

/** Lines of a text file; none if there is no file. A last line without a line feed was cut off by a crash and is left out. */
export async function completeLines(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return text.split("\n").slice(0, -1);
}

/** The file holds these lines, or what it held before. */
export async function replaceLines(file: string, lines: readonly string[]): Promise<void> {
  await replaceFile(file, lines.map((line) => `${line}\n`).join(""));
}
