import type { CallOptions } from "../../../../core/plugin.js";
import type { OrtSession, OrtSessionOptions, OrtTensor } from "../ort-runtime.js";
import { runFailed } from "../run-failed.js";
import { settingsOf } from "./binding-session.js";
import type { BindingTensor } from "./binding-tensor.js";
import type { BindingThread, SentTensor } from "./binding-thread.js";

/** A session in the worker thread. */
export async function createThreadSession(
  thread: BindingThread,
  model: Uint8Array,
  options: OrtSessionOptions,
): Promise<OrtSession> {
  const { external, ...rest } = settingsOf(options);
  // Copies: of a view, the memory around it would travel as well.
  const settings = { ...rest, external: external.map(({ path, data }) => ({ path, data: data.slice() })) };
  const task = { do: "create", model: model.slice(), settings } as const;
  const { error, session } = await thread.perform(() => ({ task, transfer: [] }));
  if (error !== null) throw new Error(error);
  return new ThreadSession(thread, session);
}

class ThreadSession implements OrtSession {
  private released = false;

  constructor(
    private readonly thread: BindingThread,
    private readonly session: number,
  ) {}

  async run(
    feeds: Readonly<Record<string, OrtTensor>>,
    fetches: Readonly<Record<string, OrtTensor>>,
    { signal }: CallOptions = {},
  ): Promise<void> {
    signal?.throwIfAborted();
    const run = this.runInThread(feeds, fetches, signal);
    await (signal ? Promise.race([run, rejection(signal, run)]) : run);
  }

  async release(): Promise<void> {
    if (this.released) return;
    this.released = true;
    const task = { do: "release", session: this.session } as const;
    if (!this.thread.isLost) await this.thread.perform(() => ({ task, transfer: [] }));
  }

  private async runInThread(
    feeds: Readonly<Record<string, OrtTensor>>,
    fetches: Readonly<Record<string, OrtTensor>>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const [fed, fetched] = [new Set(Object.values(feeds)), new Set(Object.values(fetches))];
    const tensors = [...new Set([...fed, ...fetched])] as BindingTensor[];
    const sent = (of: Readonly<Record<string, OrtTensor>>): SentTensor[] =>
      Object.entries(of).map(([name, tensor]) => {
        const { dtype, dims } = tensor;
        return { name, dtype, dims, buffer: tensors.indexOf(tensor as BindingTensor) };
      });
    try {
      const { error, buffers } = await this.thread.perform(() => {
        signal?.throwIfAborted();
        const taken = tensors.map((tensor) => tensor.take(fed.has(tensor)));
        const task = {
          do: "run",
          session: this.session,
          feeds: sent(feeds),
          fetches: sent(fetches),
          buffers: taken,
        } as const;
        return { task, transfer: taken };
      });
      // Nobody waits for the results of an aborted run, and their memory may be in other use.
      const wanted = error === null && signal?.aborted !== true;
      for (const [i, tensor] of tensors.entries()) tensor.giveBack(buffers[i], wanted && fetched.has(tensor));
      if (error !== null) throw new Error(error);
    } catch (cause) {
      signal?.throwIfAborted();
      throw runFailed(cause);
    }
  }
}

/** Rejects with the signal's reason when it is aborted, as long as the run is not over. */
function rejection(signal: AbortSignal, run: Promise<void>): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    const done = () => signal.removeEventListener("abort", onAbort);
    run.then(done, done);
  });
}
