import { type FileHandle, mkdtemp, open, rm, statfs } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { NamedTensor } from "../../data/batch/tensor.js";
import { reasonOf } from "../../host/errors.js";
import type { NumberSource } from "../backend.js";
import { engineErrors } from "../errors.js";

/** Numbers that one process writes and another reads, in the order in which they were written. */
export class NumberFile {
  private constructor(private readonly file: FileHandle) {}

  static async open(file: string): Promise<NumberFile> {
    return new NumberFile(await open(file, "r+"));
  }

  /** Writes tensors back to back from number `start` on. */
  async write(start: number, tensors: AsyncIterable<NamedTensor>): Promise<void> {
    let at = start * BYTES;
    for await (const { name, dtype, data } of tensors) {
      if (!(data instanceof Float32Array)) throw exchangeFailed(`${name} is ${dtype}, and only f32 is exchanged`);
      at = await transfer(data, at, async (piece, position) => {
        return (await this.file.write(piece, 0, piece.length, position)).bytesWritten;
      });
    }
  }

  /** Fills arrays with the numbers from `start` on, one after the other. */
  reader(start: number): NumberSource {
    let at = start * BYTES;
    return async (into) => {
      at = await transfer(into, at, async (piece, position) => {
        return (await this.file.read(piece, 0, piece.length, position)).bytesRead;
      });
    };
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}

/** Moves memory piece by piece; returns the position behind it. */
async function transfer(
  values: Float32Array,
  position: number,
  move: (piece: Uint8Array, position: number) => Promise<number>,
): Promise<number> {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  for (let done = 0; done < bytes.length; ) {
    const piece = bytes.subarray(done, done + PIECE);
    const moved = await move(piece, position + done).catch((cause: unknown) => {
      throw exchangeFailed(reasonOf(cause), cause);
    });
    if (moved === 0) throw exchangeFailed("the exchange holds fewer numbers than were to be read");
    done += moved;
  }
  return position + bytes.length;
}

const BYTES = Float32Array.BYTES_PER_ELEMENT;
/** One call moves less than 2 GiB. */
const PIECE = 2 ** 28;

/**
 * Makes a file for `numbers` in memory where the system has a folder for that (/dev/shm) and it has the room, else
 * in the temporary folder, and lets `use` open it by its path. Afterwards it has no name any more: it is gone with the last
 * process that holds it open, however that ends.
 */
export async function makeExchangeFile(numbers: number, use: (file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(await roomyFolder(numbers * BYTES), "verl-exchange-"));
  try {
    const file = path.join(folder, "numbers");
    await (await open(file, "wx", 0o600)).close();
    await use(file);
  } finally {
    // Windows keeps the folder until the file in it is closed.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

async function roomyFolder(bytes: number): Promise<string> {
  const folders = [...(process.platform === "linux" ? ["/dev/shm"] : []), os.tmpdir()];
  const found: string[] = [];
  for (const folder of folders) {
    const free = await statfs(folder).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => 0,
    );
    if (free >= bytes) return folder;
    found.push(`${folder} has ${mib(free)} MiB`);
  }
  throw engineErrors.VERL_ENGINE_NO_EXCHANGE({
    what: `the training processes need ${mib(bytes)} MiB to exchange gradients, and there is no room for that`,
    why: found.join(", "),
    fix: "Free some space, let TMPDIR name a folder that has it, or set trainer.n_gpus_per_node to 1.",
  });
}

const mib = (bytes: number) => Math.ceil(bytes / 2 ** 20);

function exchangeFailed(why: string, cause?: unknown): Error {
  return engineErrors.VERL_ENGINE_NO_EXCHANGE({
    what: "the training processes could not exchange gradients",
    why,
    cause,
  });
}
