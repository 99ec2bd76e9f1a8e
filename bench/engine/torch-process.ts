import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("../../../bench/engine/torch_engine.py", import.meta.url));

/** A Python process with PyTorch that answers one command at a time. */
export class TorchProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly lines: AsyncIterator<string>,
    readonly version: string,
  ) {}

  static async start(python: string): Promise<TorchProcess> {
    const child = spawn(python, [SCRIPT], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    const { version } = JSON.parse(await nextLine(lines)) as { version: string };
    return new TorchProcess(child, lines, version);
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
  if (done) throw new Error("the Python process ended; does it have torch and safetensors?");
  return value;
}
