import { PassThrough } from "node:stream";
import type { CommandContext } from "../../core/plugin.js";

/** What a command is given: no environment, no colours, a signal that nobody aborts. `out` and `err` are what it has written. */
export function fakeCommandContext(over: Pick<CommandContext, "args" | "registries"> & Partial<CommandContext>): {
  readonly context: CommandContext;
  out(): string;
  err(): string;
} {
  const [stdout, stderr] = [collector(), collector()];
  const context: CommandContext = {
    cwd: process.cwd(),
    env: {},
    stdout: stdout.stream,
    stderr: stderr.stream,
    color: { stdout: false, stderr: false },
    signal: new AbortController().signal,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    ...over,
  };
  return { context, out: stdout.text, err: stderr.text };
}

function collector(): { readonly stream: PassThrough; text(): string } {
  const stream = new PassThrough();
  const chunks: string[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
  return { stream, text: () => chunks.join("") };
}
