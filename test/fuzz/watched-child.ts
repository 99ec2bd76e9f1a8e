import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { budgetOf, type FuzzReader } from "./fuzz-reader.js";
import type { Measured } from "./outcome.js";

const CHILD = fileURLToPath(new URL("./child.js", import.meta.url));
/** Processor time after which an input counts as endless, in units of what it may cost. */
const HANG_FACTOR = 10;
/** For an input that waits for ever without computing. */
const HANG_MS = 120_000;
const POLL_MS = 200;
/** Processes other than the first to judge an input that was too slow or too large: the first may have paid for others. */
const SECOND_LOOKS = 2;

/** A process that reads inputs and can be lost: a hang or an end of it is an outcome like any other. */
export class WatchedChild {
  #child: ChildProcess | null = null;

  /** One input; what exceeds its budget is looked at again in fresh processes before it counts as a fault. */
  async run(reader: FuzzReader, input: Uint8Array): Promise<Measured> {
    let best = await this.#runOnce(reader, input);
    for (let look = 0; look < SECOND_LOOKS && overBudget(reader, input, best); look++) {
      this.close();
      const again = await this.#runOnce(reader, input);
      best = { ...again, cpuMs: Math.min(best.cpuMs, again.cpuMs), bytes: Math.min(best.bytes, again.bytes) };
    }
    const excess = overBudget(reader, input, best);
    return excess ? { ...best, kind: "fault", what: excess } : best;
  }

  close(): void {
    this.#child?.kill("SIGKILL");
    this.#child = null;
  }

  async #runOnce(reader: FuzzReader, input: Uint8Array): Promise<Measured> {
    this.#child ??= await startChild();
    const child = this.#child;
    const done = new AbortController();
    const start = cpuMs(child);
    try {
      return await Promise.race([
        answerOf(child, { reader: reader.name, input }, done.signal),
        this.#watch(child, start, budgetOf(reader).cpuMs * HANG_FACTOR, done.signal),
      ]);
    } finally {
      done.abort();
      if (child.exitCode !== null || child.signalCode !== null || child.killed) this.#child = null;
    }
  }

  async #watch(child: ChildProcess, start: number, limit: number, signal: AbortSignal): Promise<Measured> {
    const began = performance.now();
    while (!signal.aborted) {
      await sleep(POLL_MS, undefined, { signal }).catch(() => {});
      const spent = cpuMs(child) - start;
      const waited = performance.now() - began;
      if (spent > limit || waited > HANG_MS) {
        child.kill("SIGKILL");
        return { kind: "fault", what: spent > limit ? "hangs" : "never ends", cpuMs: spent, bytes: 0 };
      }
    }
    return { kind: "fault", what: "was given up", cpuMs: 0, bytes: 0 };
  }
}

function overBudget(reader: FuzzReader, input: Uint8Array, { kind, cpuMs, bytes }: Measured): string | null {
  if (kind === "fault") return null;
  const budget = budgetOf(reader);
  const memory = budget.bytes + budget.bytesPerByte * input.length;
  if (cpuMs > budget.cpuMs) return `takes ${Math.round(cpuMs)} ms of processor time`;
  if (bytes > memory) return `takes ${mebibytes(bytes)} MiB of memory, more than ${mebibytes(memory)}`;
  return null;
}

const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

function startChild(): Promise<ChildProcess> {
  const child = fork(CHILD, {
    serialization: "advanced",
    // Less heap than a runaway allocation needs to disturb the machine.
    execArgv: ["--max-old-space-size=1024", "--max-semi-space-size=4"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  return new Promise((resolve, reject) => {
    child.once("message", () => resolve(child));
    child.once("exit", (code) => reject(new Error(`the reading process ended with ${code} before its first input`)));
  });
}

function answerOf(child: ChildProcess, request: unknown, signal: AbortSignal): Promise<Measured> {
  return new Promise((resolve) => {
    const ended = (code: number | null, name: string | null) =>
      resolve({ kind: "fault", what: `ends the process (${name ?? `exit code ${code}`})`, cpuMs: 0, bytes: 0 });
    child.once("message", resolve);
    child.once("exit", ended);
    signal.addEventListener("abort", () => {
      child.off("message", resolve);
      child.off("exit", ended);
    });
    child.send(request as object);
  });
}

/** Processor time that a process has used; where the system does not tell, the time of the clock. */
function cpuMs({ pid }: ChildProcess): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return performance.now();
  }
}
