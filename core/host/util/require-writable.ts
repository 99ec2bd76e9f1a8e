import { access, constants, open, stat } from "node:fs/promises";
import path from "node:path";
import { reasonOf } from "../errors.js";

/** A file without a name, which is gone when it is closed, also by a kill. Of Linux; Node has no name for the flag. */
const NAMELESS = process.platform === "linux" ? 0o20000000 | constants.O_DIRECTORY | constants.O_RDWR : null;
/** What says that nothing can be written, rather than that the file system knows no nameless files. */
const REFUSED: ReadonlySet<string> = new Set(["EACCES", "EDQUOT", "ENOSPC", "EPERM", "EROFS"]);

/**
 * Rejects, with the reason as its message, where a folder cannot be made or nothing can be written into it: tried in it, or in the nearest
 * folder above that is there. Leaves nothing behind, whenever the process ends.
 */
export async function requireWritableFolder(folder: string): Promise<void> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const info = await stat(at).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" && at !== path.dirname(at)) return null;
      throw error.code === "ENOTDIR" ? new Error(`a folder above ${at} is a file`) : error;
    });
    if (info === null) continue;
    if (!info.isDirectory()) throw new Error(`${at} is no folder`);
    try {
      await tryFile(at);
    } catch (error) {
      throw new Error(`nothing can be written into ${at}: ${reasonOf(error).split(/, (open|access) /)[0]}`, {
        cause: error,
      });
    }
    return;
  }
}

async function tryFile(folder: string): Promise<void> {
  if (NAMELESS !== null) {
    try {
      await (await open(folder, NAMELESS, 0o600)).close();
      return;
    } catch (error) {
      if (REFUSED.has(String((error as NodeJS.ErrnoException).code))) throw error;
    }
  }
  await access(folder, constants.W_OK | constants.X_OK);
}

/** The same of a file: what is there must be a file that can be written, and stays as it is. */
export async function requireWritableFile(file: string): Promise<void> {
  const info = await stat(file).catch(() => null);
  if (info?.isDirectory()) throw new Error("there is a folder of this name");
  if (info) await (await open(file, "r+")).close();
  await requireWritableFolder(path.dirname(file));
}
