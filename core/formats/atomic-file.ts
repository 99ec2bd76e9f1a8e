import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

const LEFT_OVER = /.\.tmp-[0-9a-f]{12}$/;

/** Whether a file of this name is what a killed process left of one that it was about to replace. */
export const isLeftOver = (name: string): boolean => LEFT_OVER.test(name);

/**
 * A file that gets its name only when it is complete: it is written under a temporary one in the same folder, synced, then
 * renamed over the target. End with `commit` or `discard`.
 */
export class AtomicFile {
  private constructor(
    readonly path: string,
    private readonly temporary: string,
    readonly handle: FileHandle,
  ) {}

  static async create(path: string): Promise<AtomicFile> {
    const temporary = `${path}.tmp-${randomBytes(6).toString("hex")}`;
    return new AtomicFile(path, temporary, await open(temporary, "wx"));
  }

  async commit(): Promise<void> {
    await this.handle.sync();
    await this.handle.close();
    await rename(this.temporary, this.path);
    await syncFolder(dirname(this.path));
  }

  /** Remove what was written; the target is untouched. Does nothing after a commit. */
  async discard(): Promise<void> {
    await this.handle.close();
    await rm(this.temporary, { force: true });
  }
}

/** Write a file so that the name either does not exist or holds the complete content. */
export async function writeFileAtomically(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await AtomicFile.create(path);
  try {
    await write(file.handle);
    await file.commit();
  } catch (error) {
    await file.discard();
    throw error;
  }
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
