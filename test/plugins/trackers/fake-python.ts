import { chmod, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

/** What the imitated Python is to do, in `FAKE_CLIENT`. */
export type FakeBehaviour =
  | "works"
  | "is not installed"
  | "refuses"
  | "never begins"
  | "fails at step 2"
  | "has step 1"
  | "ends at step 1"
  | "ends at step 2"
  | "never answers"
  | "never finishes";

/** A line of what it was told. */
export type Told = { readonly type: string; readonly [name: string]: unknown };

/**
 * A program that takes the place of Python with `bridge.py` and a client: it speaks the same protocol, and notes in a file what it
 * is told.
 */
export class FakePython {
  private constructor(
    readonly command: string,
    private readonly notes: string,
    private readonly behaviour: FakeBehaviour,
  ) {}

  static async create(folder: string, behaviour: FakeBehaviour = "works"): Promise<FakePython> {
    const command = path.join(folder, "python");
    await writeFile(
      command,
      `#!${process.execPath}\nimport(${JSON.stringify(new URL("./fake-client.js", import.meta.url).href)});\n`,
    );
    await chmod(command, 0o755);
    const notes = path.join(folder, "notes.jsonl");
    await writeFile(notes, "");
    return new FakePython(command, notes, behaviour);
  }

  get env(): Record<string, string> {
    return { FAKE_CLIENT: this.behaviour, FAKE_NOTES: this.notes };
  }

  async told(): Promise<Told[]> {
    const lines = (await readFile(this.notes, "utf8")).split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Told);
  }

  /** Waits until it was told something of this type. */
  async until(type: string): Promise<Told> {
    for (;;) {
      const found = (await this.told()).find((told) => told.type === type);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
