import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../../../cli/main.js", import.meta.url));
export const FAKE_PLUGIN = fileURLToPath(new URL("./fake-plugin.js", import.meta.url));
export const KILLING_PLUGIN = fileURLToPath(new URL("./killing-plugin.js", import.meta.url));

export interface ChildOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** In a process group of its own, to which signals can be sent. */
  readonly detached?: boolean;
  readonly onStarted?: (child: ChildProcess) => void;
  /** Told after each piece of output; e.g. to send a signal once the run has come so far. */
  readonly onOutput?: (output: { readonly stdout: string; readonly stderr: string }, child: ChildProcess) => void;
}

export interface ChildOutcome {
  /** Null where a signal ended the process. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `verl …` in a process of its own, with the toy back-ends unless `env` names other modules. */
export function verl(args: readonly string[], options: ChildOptions): Promise<ChildOutcome> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: options.cwd,
    detached: options.detached,
    env: { ...process.env, NO_COLOR: "1", VERL_USE_EXTERNAL_MODULES: FAKE_PLUGIN, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  options.onStarted?.(child);
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
      options.onOutput?.(output, child);
    });
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, ...output }));
  });
}
