import os from "node:os";
import type { CallOptions } from "../host/types.js";
import { Semaphore } from "../host/util/semaphore.js";
import { checkProgram, type Program } from "./check-program.js";
import { sandboxErrors } from "./errors.js";
import type { Sandbox, SandboxOptions, SandboxRequest, SandboxResult } from "./sandbox.js";

/** The part of a sandbox that runs one program. */
export interface SandboxBackend {
  readonly name: string;
  readonly languages: readonly string[];
  /** When it settles nothing of the program is left. After an abort it rejects with the signal's reason. */
  execute(program: Program, signal: AbortSignal): Promise<SandboxResult>;
}

/** Make a sandbox of a backend: checks of requests, a bounded number of programs at a time, abort and close. */
export function composeSandbox(
  backend: SandboxBackend,
  { limits, maxConcurrent }: Pick<SandboxOptions, "limits" | "maxConcurrent">,
): Sandbox {
  const { name, languages } = backend;
  const places = new Semaphore(maxConcurrent > 0 ? maxConcurrent : os.availableParallelism());
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();

  async function start(program: Program, signal: AbortSignal): Promise<SandboxResult> {
    const release = await places.acquire(signal);
    try {
      return await backend.execute(program, signal);
    } finally {
      release();
    }
  }

  return {
    name,
    languages,
    maxConcurrent: places.permits,
    async run(request: SandboxRequest, options: CallOptions = {}) {
      const signal = options.signal ? AbortSignal.any([closing.signal, options.signal]) : closing.signal;
      signal.throwIfAborted();
      const run = start(checkProgram(request, { name, languages, limits }), signal);
      running.add(run);
      return run.finally(() => running.delete(run));
    },
    async close() {
      closing.abort(sandboxErrors.VERL_SANDBOX_CLOSED({ what: `the sandbox "${name}" is closed` }));
      await Promise.allSettled(running);
    },
  };
}
