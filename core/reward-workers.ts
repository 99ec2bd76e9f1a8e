import type { Host } from "./create-host.js";
import type { MediaReader } from "./data/index.js";
import { serveRpc } from "./host/index.js";
import type { CallOptions } from "./host/types.js";
import { startHostThread } from "./host-thread.js";
import {
  cannotLoad,
  type RewardJob,
  type RewardResult,
  type RewardWorker,
  type WorkerCall,
  type WorkerMedium,
  type WorkerSpan,
  type WorkerTask,
  workerLost,
} from "./reward/index.js";
import { ambientTracer, noTracer, RelayedSpans } from "./tracing/index.js";

/**
 * Starts a thread that scores with the user's function or the registered scorers: it loads the driver's plugins, then the
 * function. `main` is a module that calls `runRewardWorker`.
 */
export async function startRewardWorker(
  host: Host,
  { main, index, task }: { readonly main: URL; readonly index: number; readonly task: Omit<WorkerTask, "name"> },
): Promise<RewardWorker> {
  const name = `reward worker ${index + 1}`;
  const spans = new Map<number, RelayedSpans>();
  const running = new Set<Promise<RewardResult>>();
  let calls = 0;
  const readers = new Map<number, MediaReader>();
  const methods = {
    span: async ({ call, event }: WorkerSpan) => spans.get(call)?.take(event),
    async mediaBytes({ call, id }: WorkerMedium, options: CallOptions) {
      const reader = readers.get(call);
      if (!reader) throw new Error("the score has ended");
      return reader.bytes({ id }, options);
    },
  };
  const { rpc, stop } = await startHostThread(host, {
    ...{ main, index, name, role: "reward" },
    modules: task.source ? [task.source.path] : [],
    lost: (how) => workerLost(name, how),
    serve: (channel) => serveRpc(channel, methods, "VERL_REWARD_FAILED"),
    open: (rpc) =>
      rpc.call<void>("open", { ...task, name }).catch((error: unknown) => {
        throw cannotLoad(name, task.source?.path ?? null, error);
      }),
  });

  /** What the function does in there becomes part of whatever span is around the call here. */
  async function score(job: RewardJob, media: MediaReader): Promise<RewardResult> {
    const tracer = ambientTracer();
    const id = calls++;
    const inside = new RelayedSpans(tracer);
    spans.set(id, inside);
    readers.set(id, media);
    const trace = tracer === noTracer ? null : { wantsText: tracer.wantsText };
    let failure: unknown = null;
    try {
      return await rpc.call<RewardResult>("score", { id, job, trace } satisfies WorkerCall);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      spans.delete(id);
      readers.delete(id);
      await inside.close(failure);
    }
  }

  return {
    name,
    score(job, media) {
      const result = score(job, media);
      running.add(result);
      const leave = () => void running.delete(result);
      result.then(leave, leave);
      return result;
    },
    /** Whoever stops it hears of it when the calls in it have ended, too. */
    async stop() {
      await stop();
      await Promise.allSettled(running);
    },
  };
}
