import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { CommandIo } from "../../cli/program/io.js";
import { runCli } from "../../cli/run-cli.js";

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as JSON. */
  json<T = Record<string, unknown>>(): T;
}

/** Runs one command line in this process, in a folder of its own. */
export async function cli(
  argv: string[],
  {
    cwd = process.cwd(),
    env = {},
    color = false,
  }: { cwd?: string; env?: Record<string, string>; color?: boolean } = {},
): Promise<CliResult> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const io: CommandIo = { stdout, stderr, env, cwd, color: { stdout: color, stderr: color } };
  const texts = [text(stdout), text(stderr)];
  const code = await runCli(argv, io);
  stdout.end();
  stderr.end();
  const [out, err] = await Promise.all(texts);
  return { code, stdout: out, stderr: err, json: () => JSON.parse(out) };
}
