import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { makeFolder } from "../../core/host/basics.js";

/** A file that grows by lines, each of them on the disk when `append` returns. */
export class LineFile {
  private constructor(private readonly handle: FileHandle) {}

  /** `prepare` runs once the folder is there, before the file is opened. */
  static async open(file: string, prepare: () => Promise<void>): Promise<LineFile> {
    await makeFolder(path.dirname(file));
    await prepare();
    return new LineFile(await open(file, "a"));
  }

  async append(lines: readonly string[]): Promise<void> {
    await this.handle.appendFile(lines.map((line) => `${line}\n`).join(""));
    await this.handle.datasync();
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
