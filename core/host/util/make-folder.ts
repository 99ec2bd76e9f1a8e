import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it. Node's own recursive `mkdir` never ends where a file system answers "no such file" although the
 * folder above exists, as `/proc` does.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await makeOne(folder);
  } catch (error) {
    const above = dirname(folder);
    if (codeOf(error) !== "ENOENT" || above === folder) throw error;
    await makeFolder(above);
    await makeOne(folder);
  }
}

async function makeOne(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (codeOf(error) !== "EEXIST" || !(await stat(folder)).isDirectory()) throw error;
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
