import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Write a file so that the name either does not exist or holds the complete content: a temporary name in the same
 * folder, synced, then renamed over the target. On failure the temporary file is removed and the target is untouched.
 */
export async function writeFileAtomically(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const temporary = `${path}.tmp-${randomBytes(6).toString("hex")}`;
  const file = await open(temporary, "wx");
  try {
    try {
      await write(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Make a rename durable. Systems that cannot open or sync a folder (Windows) do it on their own. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // Not supported here.
  }
}
