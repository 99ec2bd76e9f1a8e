import type { FileHandle } from "node:fs/promises";

/**
 * What the lines of a file that grows hold, one after the other; memory does not grow with it. Empty lines are passed over.
 * A last line that `parse` throws at was cut off by a crash and is left out, unless it is the only one or `isWhole` says
 * that it was written to its end. Any other such line throws.
 */
export async function* parsedLines<T>(
  handle: FileHandle,
  parse: (line: string, number: number) => readonly T[],
  isWhole: () => Promise<boolean> = async () => false,
): AsyncGenerator<T> {
  let torn: { readonly error: unknown } | null = null;
  let number = 0;
  for await (const line of handle.readLines()) {
    if (torn) throw torn.error;
    number++;
    if (line.trim() === "") continue;
    let items: readonly T[];
    try {
      items = parse(line, number);
    } catch (error) {
      torn = { error };
      continue;
    }
    yield* items;
  }
  if (torn && (number === 1 || (await isWhole()))) throw torn.error;
}
