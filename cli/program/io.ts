/** What a command works with, instead of the process: results go to `stdout`, everything else to `stderr`. */
export interface CommandIo {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether text may be coloured. */
  readonly color: { readonly stdout: boolean; readonly stderr: boolean };
}

/** The process's own streams. `NO_COLOR` (any value), `TERM=dumb` and pipes (each its own) switch colours off; `FORCE_COLOR` wins. */
export function processIo(): CommandIo {
  const { env } = process;
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "";
  const plain = (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb";
  const coloured = (stream: NodeJS.WriteStream) => forced || (!plain && stream.isTTY);
  const { stdout, stderr } = process;
  return { stdout, stderr, env, cwd: process.cwd(), color: { stdout: coloured(stdout), stderr: coloured(stderr) } };
}

export function printLine(stream: NodeJS.WritableStream, text: string): void {
  stream.write(`${text}\n`);
}

/** Characters in a line of the terminal; 80 where there is none, or one that says 0 for it does not know. */
export function columnsOf(stream: NodeJS.WritableStream): number {
  return (stream as Partial<NodeJS.WriteStream>).columns || 80;
}

/** One line of JSON on standard output. */
export function printJson(io: CommandIo, value: unknown): void {
  printLine(io.stdout, JSON.stringify(value));
}

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;
export type Style = keyof typeof CODES;

/** A function that colours text, or leaves it alone. */
export function painter(color: boolean): (style: Style, text: string) => string {
  if (!color) return (_, text) => text;
  return (style, text) => `\u001b[${CODES[style][0]}m${text}\u001b[${CODES[style][1]}m`;
}

/** Whether the environment names plugins, which may bring commands. */
export function hasPlugins({ env }: CommandIo): boolean {
  const { VERL_USE_EXTERNAL_MODULES: modules = "", VERL_USE_EXTERNAL_PLUGINS: plugins = "" } = env;
  return modules.trim() !== "" || !["", "none"].includes(plugins.trim());
}
