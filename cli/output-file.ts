import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { makeFolder, reasonOf } from "../core/host/basics.js";
import { replaceFile } from "../core/tracking/index.js";
import { cliErrors } from "./errors.js";
import { type CommandIo, printLine } from "./io.js";

/** A JSONL file that appears when it is complete: until then it has a temporary name. */
export class OutputFile {
  private constructor(
    private readonly file: string,
    private readonly handle: FileHandle,
  ) {}

  static async open(file: string): Promise<OutputFile> {
    return attempt(file, async () => {
      // Found now, not by the rename after an hour of sampling.
      if ((await stat(file).catch(() => null))?.isDirectory()) throw new Error("there is a folder of this name");
      return new OutputFile(file, await open(`${file}.tmp`, "w"));
    });
  }

  write(row: unknown): Promise<void> {
    return attempt(this.file, () => this.handle.appendFile(`${JSON.stringify(row)}\n`));
  }

  complete(): Promise<void> {
    return attempt(this.file, async () => {
      await this.handle.sync();
      await this.handle.close();
      await rename(`${this.file}.tmp`, this.file);
    });
  }

  async discard(): Promise<void> {
    await this.handle.close().catch(() => {});
    await rm(`${this.file}.tmp`, { force: true });
  }
}

/** Writes a whole file, which has its name only when it is complete. */
export async function writeOutput(file: string, content: string | Uint8Array): Promise<void> {
  await attempt(file, async () => {
    if ((await stat(file).catch(() => null))?.isDirectory()) throw new Error("there is a folder of this name");
    await replaceFile(file, content);
  });
}

/** Refuses a file that cannot be written, before the work whose result it is to hold. */
export async function checkOutput(file: string): Promise<void> {
  await (await OutputFile.open(file)).discard();
}

/** The folder for files that a command writes; made where it is not there. */
export async function outputFolder(folder: string): Promise<void> {
  await attempt(folder, () => makeFolder(folder));
}

/** Writes a page, and says where on standard output. */
export async function writePage(name: string, page: string, io: CommandIo): Promise<void> {
  const file = path.resolve(io.cwd, name);
  await writeOutput(file, page);
  printLine(io.stdout, file);
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
