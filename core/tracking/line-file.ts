import { readFile } from "node:fs/promises";
import { reasonOf } from "../host/errors.js";
import { trackingErrors } from "./errors.js";
import { replaceFile } from "./written.js";

/** The text of a file of a run; null if there is none. @throws VERL_TRACKING_BAD_FILE where it cannot be read. */
export async function readRunFile(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw trackingErrors.VERL_TRACKING_BAD_FILE({
      what: "a file of the run cannot be read",
      where: file,
      why: reasonOf(cause),
      cause,
    });
  }
}

/** Lines of a text file; none if there is no file. A last line without a line feed was cut off by a crash and is left out. */
export async function completeLines(file: string): Promise<string[]> {
  const text = (await readRunFile(file)) ?? "";
  return text.split("\n").slice(0, -1);
}

/** The file holds these lines, or what it held before. */
export async function replaceLines(file: string, lines: readonly string[]): Promise<void> {
  await replaceFile(file, lines.map((line) => `${line}\n`).join(""));
}
