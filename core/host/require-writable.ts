import { randomUUID } from "node:crypto";
import { open, rm, stat } from "node:fs/promises";
import path from "node:path";
import { reasonOf } from "./errors.js";

/**
 * Rejects, with the reason as its message, where a folder cannot be made or nothing can be written into it. Tried with an empty file in
 * it or in the nearest folder above that is there, for permissions do not tell all; it is gone when this returns.
 */
export async function requireWritableFolder(folder: string): Promise<void> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const info = await stat(at).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" && at !== path.dirname(at)) return null;
      throw error.code === "ENOTDIR" ? new Error(`a folder above ${at} is a file`) : error;
    });
    if (info === null) continue;
    if (!info.isDirectory()) throw new Error(`${at} is no folder`);
    const probe = path.join(at, `.verl-probe-${randomUUID()}`);
    try {
      await (await open(probe, "wx")).close();
    } catch (error) {
      throw new Error(`nothing can be written into ${at}: ${reasonOf(error).split(", open ")[0]}`, { cause: error });
    }
    await rm(probe, { force: true });
    return;
  }
}

/** The same of a file: what is there must be a file that can be written, and stays as it is. */
export async function requireWritableFile(file: string): Promise<void> {
  const info = await stat(file).catch(() => null);
  if (info?.isDirectory()) throw new Error("there is a folder of this name");
  if (info) await (await open(file, "r+")).close();
  await requireWritableFolder(path.dirname(file));
}
