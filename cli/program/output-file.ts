import { constants } from "node:fs";
import { access, type FileHandle, open, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { makeFolder, reasonOf, requireWritableFolder } from "../../core/host/basics.js";
import { AtomicFile } from "../../core/tracking/index.js";
import { cliErrors } from "../errors.js";
import { type CommandIo, printLine } from "./io.js";

/**
 * What every option that names a file for results does: a place that cannot be written is refused before the work, and what is there stays
 * until the new content is complete. Folders for a single file are not made. A device or a pipe is written to as it stands.
 */
export class OutputFile {
  private constructor(
    private readonly file: string,
    private readonly handle: FileHandle,
    /** Null for a device or a pipe. */
    private readonly whole: AtomicFile | null,
  ) {}

  static open(file: string): Promise<OutputFile> {
    return attempt(file, async () => {
      const { target, isStream } = await targetOf(file);
      if (isStream) return new OutputFile(file, await open(target, "w"), null);
      const whole = await AtomicFile.create(target);
      return new OutputFile(file, whole.handle, whole);
    });
  }

  /** A line of JSON. */
  write(row: unknown): Promise<void> {
    return this.writeAll(`${JSON.stringify(row)}\n`);
  }

  writeAll(content: string | Uint8Array): Promise<void> {
    return attempt(this.file, () => this.handle.appendFile(content));
  }

  complete(): Promise<void> {
    return attempt(this.file, () => (this.whole ? this.whole.commit() : this.handle.close()));
  }

  async discard(): Promise<void> {
    await (this.whole ? this.whole.discard() : this.handle.close()).catch(() => {});
  }
}

/** Writes a whole file, which has its name only when it is complete. */
export async function writeOutput(file: string, content: string | Uint8Array): Promise<void> {
  const output = await OutputFile.open(file);
  try {
    await output.writeAll(content);
    await output.complete();
  } catch (error) {
    await output.discard();
    throw error;
  }
}

/** Refuses a file that cannot be written, or that holds what the command reads, before the work whose result it is to hold. */
export async function checkOutput(file: string, inputs: readonly string[] = []): Promise<void> {
  await attempt(file, async () => {
    const { target, isStream } = await targetOf(file);
    for (const input of inputs) {
      if ((await realpath(input).catch(() => null)) === target) throw new Error("the command reads this file");
    }
    if (!isStream) await requireWritableFolder(path.dirname(target));
  });
}

/** The folder for files that a command writes; made where it is not there, and tried. */
export async function outputFolder(folder: string): Promise<void> {
  await attempt(folder, async () => {
    await makeFolder(folder);
    await requireWritableFolder(folder);
  });
}

/** Writes a page, and says where on standard output. */
export async function writePage(name: string, page: string, io: CommandIo): Promise<void> {
  const file = path.resolve(io.cwd, name);
  await writeOutput(file, page);
  printLine(io.stdout, file);
}

/** What a name leads to: the file behind a link, a device or a pipe, or a place for a new file. */
async function targetOf(file: string): Promise<{ readonly target: string; readonly isStream: boolean }> {
  const info = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw error;
  });
  if (info === null) {
    const folder = path.dirname(file);
    const above = await stat(folder).catch(() => null);
    if (above === null) throw new Error(`there is no folder ${folder}`);
    if (!above.isDirectory()) throw new Error(`${folder} is no folder`);
    return { target: path.join(await realpath(folder), path.basename(file)), isStream: false };
  }
  if (info.isDirectory()) throw new Error("there is a folder of this name");
  await access(file, constants.W_OK);
  return { target: await realpath(file), isStream: !info.isFile() };
}

async function attempt<T>(file: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    throw cliErrors.VERL_CLI_OUTPUT({
      what: "The output file cannot be written.",
      where: file,
      why: reasonOf(cause),
      cause,
    });
  }
}
