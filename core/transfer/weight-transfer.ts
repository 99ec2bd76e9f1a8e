import type { NamedTensor } from "../data/batch/tensor.js";
import type { BaseEngine } from "../engine/engine.js";
import { reasonOf } from "../host/errors.js";
import type { CallOptions } from "../host/types.js";
import type { ServerAdapter } from "../rollout/rollout.js";
import { transferErrors } from "./errors.js";
import { LockstepBroadcast } from "./lockstep-broadcast.js";

export interface WeightPush extends CallOptions {
  readonly engine: Pick<BaseEngine, "capabilities" | "getPerTensorParam">;
  /** One for each replica. */
  readonly adapters: readonly Pick<ServerAdapter, "resume" | "updateWeights">[];
  /** Version under which the replicas will hold these weights. */
  readonly version: number;
}

export interface WeightPushResult {
  readonly tensors: number;
  readonly bytes: number;
}

/**
 * Move the engine's weights into every rollout replica, in memory (checkpoint engine `naive`): make room for weights,
 * stream, make room for the cache. The engine is read once; tensors go to all adapters in lockstep and are shared, so
 * adapters must not write to them.
 *
 * Until the last tensor has reached everybody, any failure leaves all replicas on their old version
 * (`VERL_WEIGHTS_PUSH_FAILED`). Replicas switch only then; if some of them cannot, it is `VERL_WEIGHTS_SPLIT`. Requests in
 * flight are neither aborted nor resumed.
 */
export async function pushWeights({ engine, adapters, version, signal }: WeightPush): Promise<WeightPushResult> {
  requireStream(engine);
  signal?.throwIfAborted();
  const result = { tensors: 0, bytes: 0 };
  if (adapters.length === 0) return result;
  await Promise.all(adapters.map((adapter) => adapter.resume(["weights"])));

  const broadcast = new LockstepBroadcast(counted(engine.getPerTensorParam({ signal }), result), adapters.length);
  const pushes = adapters.map(async (adapter, i) => {
    try {
      await adapter.updateWeights(broadcast.reader(i), { version, signal });
      broadcast.fail(new Error(`the adapter of replica ${i} returned before it had read all weights`));
    } catch (error) {
      broadcast.fail(error);
      throw error;
    }
  });
  const outcomes = await untilAborted(Promise.allSettled(pushes), broadcast, signal);
  requireAllSwitched(outcomes, broadcast, version);
  await Promise.all(adapters.map((adapter) => adapter.resume(["kv_cache"])));
  return result;
}

/** Refuses an engine whose weights {@link pushWeights} could not move. What it can do is known before weights are loaded. */
export function requireStream({ capabilities: { weights } }: Pick<BaseEngine, "capabilities">): void {
  if (weights === "stream") return;
  throw transferErrors.VERL_WEIGHTS_NO_STREAM({
    what: `the engine hands its weights over as a ${weights}, not as a stream`,
  });
}

async function* counted(
  tensors: AsyncIterable<NamedTensor>,
  totals: { tensors: number; bytes: number },
): AsyncGenerator<NamedTensor> {
  for await (const tensor of tensors) {
    totals.tensors++;
    totals.bytes += tensor.data.byteLength;
    yield tensor;
  }
}

/** An abort fails the stream for every adapter and does not wait for one that hangs elsewhere. */
async function untilAborted<T>(
  work: Promise<T>,
  broadcast: LockstepBroadcast<NamedTensor>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!signal) return work;
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => {
      broadcast.fail(signal.reason);
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
  });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function requireAllSwitched(
  outcomes: readonly PromiseSettledResult<void>[],
  broadcast: LockstepBroadcast<NamedTensor>,
  version: number,
): void {
  const broken = outcomes.flatMap((outcome, i) =>
    outcome.status === "rejected" ? [{ i, reason: outcome.reason }] : [],
  );
  if (broken.length === 0 && broadcast.ended) return;
  // A reader that throws leaves the stream first: its own error says more than that it left.
  const spread = broadcast.failure?.reason;
  const cause = broken.find(({ reason }) => reason !== spread)?.reason ?? spread;
  const failed = broken.map(({ i }) => i).join(", ");
  if (broken.length === outcomes.length) {
    throw transferErrors.VERL_WEIGHTS_PUSH_FAILED({
      what: `version ${version} reached no replica; all ${outcomes.length} keep their weights`,
      why: reasonOf(cause),
      cause,
    });
  }
  const switched = outcomes.flatMap((outcome, i) => (outcome.status === "fulfilled" ? [i] : []));
  throw transferErrors.VERL_WEIGHTS_SPLIT({
    what: `replicas ${switched.join(", ")} say that they hold version ${version}; ${failed || "the stream"} failed`,
    why: reasonOf(cause),
    cause,
    data: { version, switched, failed: broken.map(({ i }) => i) },
  });
}
