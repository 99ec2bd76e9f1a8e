import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Benchmarks are compiled to `dist/bench`; their counterparts in other languages stay in `bench`. */
const SOURCES = fileURLToPath(new URL("../../bench/", import.meta.url));

/** A counterpart that answers one command at a time: a JSON line each, after a first one with its `version`. */
export class LineProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly lines: AsyncIterator<string>,
    readonly version: string,
  ) {}

  /** `script` is relative to `bench`. */
  static async start(program: string, script: string): Promise<LineProcess> {
    const child = spawn(program, [path.join(SOURCES, script)], { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.on("error", () => {}); // a process that has ended; its last line, or none, says so
    try {
      await once(child, "spawn");
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const { version } = JSON.parse(await nextLine(lines)) as { version: string };
      return new LineProcess(child, lines, version);
    } catch (error) {
      child.kill();
      throw error;
    }
  }

  async call<T>(command: Readonly<Record<string, unknown>>): Promise<T> {
    this.child.stdin!.write(`${JSON.stringify(command)}\n`);
    return JSON.parse(await nextLine(this.lines)) as T;
  }

  stop(): void {
    this.child.stdin!.end();
  }
}

async function nextLine(lines: AsyncIterator<string>): Promise<string> {
  const { value, done } = await lines.next();
  if (done) throw new Error("the process ended");
  return value;
}
