import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Benchmarks are compiled to `dist/bench`; their Python counterparts stay in `bench`. */
const SOURCES = fileURLToPath(new URL("../../bench/", import.meta.url));

/** A Python counterpart that answers one command at a time: a JSON line each, after a first one with its `version`. */
export class PythonProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly lines: AsyncIterator<string>,
    readonly version: string,
  ) {}

  /** `script` is relative to `bench`. */
  static async start(python: string, script: string): Promise<PythonProcess> {
    const child = spawn(python, [path.join(SOURCES, script)], { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.on("error", () => {}); // a process that has ended; its last line, or none, says so
    try {
      await once(child, "spawn");
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const { version } = JSON.parse(await nextLine(lines)) as { version: string };
      return new PythonProcess(child, lines, version);
    } catch (error) {
      child.kill();
      console.error(
        `VERL_BENCH_PYTHON=${python} cannot run bench/${script}: ${error instanceof Error ? error.message : error}\n` +
          "Name a Python that has numpy and torch, or leave the variable out to measure without them.",
      );
      process.exit(2);
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
