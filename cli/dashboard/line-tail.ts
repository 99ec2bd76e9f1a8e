import { type FileHandle, open } from "node:fs/promises";

/** A complete line, and where it stands. */
export interface TailLine {
  /** Null for a line that is too long to be read. */
  readonly text: string | null;
  /** Bytes. */
  readonly offset: number;
  readonly length: number;
}

/** Who follows a file gives it up after so many lines that cannot be read: no run wrote it. */
export const MAX_BAD_LINES = 10_000;

const LINE_FEED = 0x0a;

/**
 * Follows a file that grows by lines: every `read` hands over the lines that were completed since the last one. Memory does
 * not grow with the file. A line without its line feed waits until it has one. A file that was replaced or cut, as a resumed run
 * does, is read anew.
 */
export class LineTail {
  #offset = 0;
  #inode = -1;

  constructor(
    readonly file: string,
    private readonly maxLine = 64 << 20,
    private readonly chunkBytes = 1 << 20,
  ) {}

  /** `onReset` is called before the first line of a file that takes the place of the one read so far. */
  async read(onLine: (line: TailLine) => void, onReset: () => void): Promise<void> {
    const handle = await open(this.file, "r").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
    if (!handle) {
      if (this.#inode !== -1) onReset();
      [this.#offset, this.#inode] = [0, -1];
      return;
    }
    try {
      const { size, ino } = await handle.stat();
      if (ino !== this.#inode || size < this.#offset) {
        if (this.#inode !== -1) onReset();
        [this.#offset, this.#inode] = [0, ino];
      }
      await this.#lines(handle, size, onLine);
    } finally {
      await handle.close();
    }
  }

  /** Up to the size at the start, so that a writer who is faster than this reader does not keep it for ever. */
  async #lines(handle: FileHandle, size: number, onLine: (line: TailLine) => void): Promise<void> {
    const chunk = Buffer.allocUnsafe(Math.min(this.chunkBytes, Math.max(1, size - this.#offset)));
    let parts: Buffer[] = [];
    let length = 0;
    for (let position = this.#offset; position < size; ) {
      const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, size - position), position);
      if (bytesRead === 0) return;
      position += bytesRead;
      for (let start = 0; start < bytesRead; ) {
        const found = chunk.subarray(0, bytesRead).indexOf(LINE_FEED, start);
        const end = found < 0 ? bytesRead : found;
        length += end - start;
        if (length > this.maxLine) parts = [];
        // The chunk is written over by the next read; only what a line still needs is copied.
        else if (end > start)
          parts.push(found < 0 ? Buffer.from(chunk.subarray(start, end)) : chunk.subarray(start, end));
        if (found < 0) break;
        const text = length > this.maxLine ? null : Buffer.concat(parts).toString("utf8");
        onLine({ text, offset: this.#offset, length });
        this.#offset += length + 1;
        [parts, length] = [[], 0];
        start = found + 1;
      }
    }
  }
}
