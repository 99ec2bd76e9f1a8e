import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { JsonValue } from "../../../core/plugin.js";
import { BRIDGE } from "./find-python.js";

/** What the client may be sent before it has answered: what lies in pipes and in its own queue. */
const WINDOW_BYTES = 1 << 20;
/** What waits beyond that for a client that is slow; more is dropped. */
const WAITING_BYTES = 64 << 20;
const STDERR_KEPT = 4000;
const LONGEST_ANSWER = 1 << 20;
/** Of a process that was told to end, before it is made to. */
const GRACE_MS = 5000;

export type Message = { readonly type: string; readonly [name: string]: JsonValue };

export interface BridgeOptions {
  readonly python: string;
  /** Which client: `{client}_client.py` beside the bridge. */
  readonly client: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of what waits for a slow client; default 64 MiB. */
  readonly waitingBytes?: number;
  /** Told once, of the first message that the client did not take, or of its end. */
  readonly onFailure: (reason: string) => void;
}

/** How the client's part ended. */
export interface BridgeEnd {
  /** Messages that it did not take. */
  readonly lost: number;
  /** Messages that were not needed: it had them from an earlier part of the run. */
  readonly had: number;
  /** Why it did not end by itself; null if it did. */
  readonly reason: string | null;
}

/**
 * A Python process that hands messages to a tracker's client, one after the other; see `bridge.py`. Nothing here waits for it
 * but `start` and `end`: messages queue, a queue that is full drops them, and a client that ends is reported, once. The process
 * has a group of its own, which Ctrl-C does not reach, and ends by itself when its standard input does: also when the run is killed.
 */
export class Bridge {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting: string[] = [];
  #waitingBytes = 0;
  /** Sizes of what was sent and not answered, oldest first. */
  readonly #sent: number[] = [];
  #sentBytes = 0;
  #lost = 0;
  #had = 0;
  #stderr = "";
  #line = "";
  #failed = false;
  /** Why it takes nothing more; null while it does. */
  #ended: string | null = null;
  #ending = false;
  #finished = false;
  readonly #limit: number;
  /** The process is gone. */
  readonly #exit: Promise<void>;
  /** It has finished, or is gone. */
  readonly #settled: Promise<void>;
  #onFinished: () => void = () => {};
  #onStart: ((answer: Message | string) => void) | null = null;

  private constructor(private readonly options: BridgeOptions) {
    const { python, client, env } = options;
    const child = spawn(python, ["-B", BRIDGE, client], {
      env: { ...env, PYTHONUTF8: "1", PYTHONUNBUFFERED: "1" },
      detached: process.platform !== "win32",
      windowsHide: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child = child;
    this.#limit = options.waitingBytes ?? WAITING_BYTES;
    this.#exit = new Promise((resolve) => {
      child.once("error", (error) => {
        this.#close(error.message);
        resolve();
      });
      const read = new Promise<void>((all) => child.stdout.once("close", all));
      child.once("exit", async (code, signal) => {
        // It may have answered last of all.
        await within(read, GRACE_MS);
        this.#close(signal ? `it was ended by ${signal}` : `it ended with exit code ${code}${this.#lastWords()}`);
        killGroup(child, "SIGTERM");
        resolve();
      });
    });
    this.#settled = Promise.race([
      this.#exit,
      new Promise<void>((resolve) => {
        this.#onFinished = resolve;
      }),
    ]);
    // Its end is reported above.
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT);
    });
    // A run that nobody finishes must not hang on it: `start` and `end` hold the process by their timers.
    for (const handle of [child, child.stdin, child.stdout, child.stderr] as { unref?: () => void }[]) handle.unref?.();
  }

  /** Resolves with what the client answers to the first message; rejects with what it says, or after `deadlineMs`. */
  static async start(
    options: BridgeOptions,
    first: Message,
    deadlineMs: number,
  ): Promise<{ bridge: Bridge; answer: Message }> {
    const bridge = new Bridge(options);
    const answer = await new Promise<Message | string>((resolve) => {
      const timer = setTimeout(
        () => resolve(`it did not begin within ${deadlineMs / 1000} s${bridge.#lastWords()}`),
        deadlineMs,
      );
      bridge.#onStart = (given) => {
        bridge.#onStart = null;
        clearTimeout(timer);
        resolve(given);
      };
      bridge.send(first);
    });
    if (typeof answer !== "string" && answer.type === "ready") return { bridge, answer };
    bridge.#failed = true;
    bridge.#child.stdin.end();
    // One that has answered ends by itself, and takes its temporary files with it.
    if (typeof answer === "string" || !(await within(bridge.#exit, GRACE_MS))) killGroup(bridge.#child, "SIGTERM");
    throw new Error(typeof answer === "string" ? answer : String(answer.message));
  }

  send(message: Message): void {
    if (this.#ended !== null) {
      this.#lost++;
      return;
    }
    if (this.#waitingBytes > this.#limit) {
      this.#lost++;
      this.#fail("it is too slow: its queue is full, and what is logged meanwhile is dropped");
      return;
    }
    this.#push(message);
  }

  /** Hands over what waits, lets the client end its run, and waits for that up to `deadlineMs`. Never rejects. */
  async end(exitCode: number, deadlineMs: number): Promise<BridgeEnd> {
    this.#ending = true;
    if (this.#ended === null) this.#push({ type: "finish", exitCode });
    if (!(await within(this.#settled, deadlineMs))) {
      this.#close(`it had not handed everything over after ${deadlineMs / 1000} s, and was stopped`);
    }
    if (!this.#finished || !(await within(this.#exit, GRACE_MS))) {
      this.#child.stdin.end();
      killGroup(this.#child, "SIGTERM");
      if (!(await within(this.#exit, GRACE_MS))) killGroup(this.#child, "SIGKILL");
    }
    return { lost: this.#lost, had: this.#had, reason: this.#finished ? null : this.#ended };
  }

  #push(message: Message): void {
    const line = `${JSON.stringify(message)}\n`;
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    this.#pump();
  }

  #pump(): void {
    while (this.#waiting.length > 0 && (this.#sentBytes < WINDOW_BYTES || this.#sent.length === 0)) {
      const line = this.#waiting.shift() as string;
      this.#waitingBytes -= line.length;
      this.#sent.push(line.length);
      this.#sentBytes += line.length;
      this.#child.stdin.write(line);
    }
  }

  #read(text: string): void {
    const lines = (this.#line + text).split("\n");
    this.#line = lines.pop() as string;
    if (this.#line.length > LONGEST_ANSWER) {
      this.#close("it answers with what is no message");
      killGroup(this.#child, "SIGKILL");
    }
    for (const line of lines) {
      try {
        this.#take(JSON.parse(line) as Message);
      } catch {
        this.#fail("it answers with what is no message");
      }
    }
  }

  #take(answer: Message): void {
    this.#sentBytes -= this.#sent.shift() ?? 0;
    if (this.#onStart) this.#onStart(answer);
    else if (answer.type === "failed") {
      this.#lost++;
      this.#fail(String(answer.message));
    } else if (answer.type === "had") this.#had++;
    else if (answer.type === "finished") {
      this.#finished = true;
      this.#onFinished();
    }
    this.#pump();
  }

  #close(reason: string): void {
    if (this.#ended !== null) return;
    this.#ended = reason;
    if (this.#onStart) {
      this.#onStart(reason);
      return;
    }
    if (this.#finished) return;
    this.#lost += this.#sent.length + this.#waiting.length - (this.#ending ? 1 : 0);
    this.#waiting.length = 0;
    // What happens at the end is told by `end`.
    if (!this.#ending) this.#fail(reason);
  }

  #fail(reason: string): void {
    if (this.#failed) return;
    this.#failed = true;
    this.options.onFailure(reason);
  }

  /** What a client that failed printed last usually says why. */
  #lastWords(): string {
    const lines = this.#stderr.trim().split("\n").filter(Boolean).slice(-3);
    return lines.length === 0 ? "" : `: ${lines.join(" / ")}`;
  }
}

function killGroup({ pid }: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    if (process.platform === "win32") process.kill(pid, signal);
    else process.kill(-pid, signal);
  } catch {
    // Nothing of it is left.
  }
}

async function within(work: Promise<void>, ms: number): Promise<boolean> {
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
