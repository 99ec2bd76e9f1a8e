import { type FileHandle, open } from "node:fs/promises";
import { endianness } from "node:os";
import { reasonOf } from "../host/errors.js";
import { requireRegularFile } from "../host/util/regular-file.js";
import { formatErrors } from "./errors.js";

/** Largest single read: below every system's limit and small enough to be a bounded temporary. */
const CHUNK_BYTES = 64 * 1024 * 1024;

/** A file of known size that is read at positions. All formats here are little-endian, and so must the machine be. */
export class RandomAccessFile {
  private constructor(
    readonly path: string,
    readonly size: number,
    private readonly handle: FileHandle,
  ) {}

  static async open(path: string): Promise<RandomAccessFile> {
    if (endianness() !== "LE") {
      throw formatErrors.VERL_FORMATS_FILE_UNREADABLE({
        what: `cannot read ${path} on this machine`,
        why: "model files are little-endian and this processor is big-endian",
        fix: "use a little-endian machine",
      });
    }
    let handle: FileHandle | undefined;
    try {
      await requireRegularFile(path);
      handle = await open(path, "r");
      const stat = await handle.stat();
      if (!stat.isFile()) throw new Error("not a regular file");
      return new RandomAccessFile(path, stat.size, handle);
    } catch (cause) {
      await handle?.close();
      throw formatErrors.VERL_FORMATS_FILE_UNREADABLE({
        what: `cannot open ${path}`,
        where: path,
        why: reasonOf(cause),
        cause,
      });
    }
  }

  /** Fill `into` from `position`; the range must lie inside the file. */
  async read(position: number, into: Uint8Array): Promise<void> {
    for (let done = 0; done < into.length; ) {
      const length = Math.min(into.length - done, CHUNK_BYTES);
      let bytesRead: number;
      try {
        ({ bytesRead } = await this.handle.read(into, done, length, position + done));
      } catch (cause) {
        throw this.unreadable(position + done, reasonOf(cause), cause);
      }
      if (bytesRead === 0) throw this.unreadable(position + done, "the file ended while it was being read");
      done += bytesRead;
    }
  }

  async bytes(position: number, length: number): Promise<Uint8Array> {
    const out = new Uint8Array(length);
    await this.read(position, out);
    return out;
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  private unreadable(position: number, why: string, cause?: unknown) {
    return formatErrors.VERL_FORMATS_FILE_UNREADABLE({
      what: `cannot read ${this.path}`,
      where: `${this.path}, byte ${position}`,
      why,
      cause,
    });
  }
}
