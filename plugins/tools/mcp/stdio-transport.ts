import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { reasonOf } from "../../../core/plugin.js";
import { TOO_MUCH } from "./bounded-fetch.js";
import { guardGroup } from "./group-guard.js";
import type { McpSdk } from "./sdk.js";
import type { ServerSpec } from "./servers-file.js";

/** How long a server may take to end by itself after its input is closed, and again after SIGTERM. */
const GRACE_MS = 2000;
const STDERR_KEPT = 2000;

/**
 * A server as a child process, in a process group of its own: Ctrl-C, which the run answers by finishing its step, does not
 * reach it, and whatever it started ends with it, also where this process is killed. It gets the variables that every program
 * needs, and those that its entry names.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #buffer: InstanceType<McpSdk["ReadBuffer"]>;
  #child: ChildProcess | null = null;
  #stderr = "";
  #overflow: string | null = null;
  #noise: string | null = null;

  constructor(
    private readonly spec: Extract<ServerSpec, { kind: "stdio" }>,
    private readonly options: {
      readonly sdk: Pick<McpSdk, "ReadBuffer" | "serializeMessage">;
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    },
  ) {
    this.#buffer = new options.sdk.ReadBuffer();
  }

  /** The end of what the server wrote to its standard error. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Why this side ended the server, if it did because of what it sent; holds nothing of that. */
  get overflow(): string | null {
    return this.#overflow;
  }

  /** The first line on its standard output that was no message, in words. */
  get noise(): string | null {
    return this.#noise;
  }

  async start(): Promise<void> {
    const { command, args } = this.spec;
    const { env, cwd } = this.options;
    const child = spawn(command, args, { env, cwd, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    this.#child = child;
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT);
    });
    // A server that ends while it is written to: its end is reported below.
    child.stdin.on("error", (error) => this.onerror?.(error));
    let unguard = () => {};
    child.once("exit", () => {
      // Whatever it started would keep its pipes open, and outlive the run.
      killGroup(child, "SIGKILL");
      GROUPS.delete(child);
      unguard();
    });
    child.once("close", () => {
      this.#child = null;
      this.onclose?.();
    });
    await once(child, "spawn");
    endWithProcess(child);
    if (child.exitCode === null && child.signalCode === null) unguard = guardGroup(child.pid as number, GRACE_MS);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) throw new Error("the server has ended");
    if (!stdin.write(this.options.sdk.serializeMessage(message))) await once(stdin, "drain");
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    const closed = once(child, "close");
    child.stdin?.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await settlesWithin(closed, GRACE_MS)) return;
      killGroup(child, signal);
    }
    await closed;
  }

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
    } catch (error) {
      // More than it holds without a line's end: this is no server.
      this.#overflow = TOO_MUCH;
      this.onerror?.(error as Error);
      if (this.#child) killGroup(this.#child, "SIGKILL");
      return;
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // A line that is no message, such as a print of the server's; the next one may be.
        this.#noise ??= `a line of its standard output is no message: ${reasonOf(error)}`;
        this.onerror?.(error as Error);
      }
    }
  }
}

/** What every program needs, and nothing that could be a secret. */
const INHERITED = ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];

/** The environment of a server: what every program needs, and what its entry names. */
export function serverEnv(
  env: Readonly<Record<string, string | undefined>>,
  named: Readonly<Record<string, string>>,
): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { ...Object.fromEntries(inherited), ...named };
}

/** Servers that run: where the process exits without an end of the run, they end with it. */
const GROUPS = new Set<ChildProcess>();
const endAll = () => {
  for (const child of GROUPS) killGroup(child, "SIGKILL");
};

function endWithProcess(child: ChildProcess): void {
  if (GROUPS.size === 0) {
    process.off("exit", endAll);
    process.once("exit", endAll);
  }
  if (child.exitCode === null && child.signalCode === null) GROUPS.add(child);
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // Nothing of it is left.
  }
}

async function settlesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
