import type { Stats } from "node:fs";
import { readFile, stat } from "node:fs/promises";

/** What a path that leads to no file leads to; null of a file. */
export function otherThanFile(info: Stats): string | null {
  if (info.isFile()) return null;
  if (info.isDirectory()) return "a folder";
  if (info.isFIFO()) return "a named pipe";
  return info.isSocket() ? "a socket" : "a device";
}

/** Rejects pipes, sockets and devices, before they are opened: that would wait for a writer without end, in a thread that nothing can stop. */
export async function requireRegularFile(path: string): Promise<void> {
  const other = otherThanFile(await stat(path));
  // Of folders the system's own error is as good.
  if (other !== null && other !== "a folder") throw new Error(`${path} is ${other}, not a file`);
}

/** The bytes of a regular file. */
export async function readRegularFile(path: string): Promise<Buffer> {
  await requireRegularFile(path);
  return readFile(path);
}

/** The text of a regular file. */
export const readRegularText = async (path: string): Promise<string> => (await readRegularFile(path)).toString("utf8");
