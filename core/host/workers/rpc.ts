import type { ErrorCode } from "../errors.js";
import type { CallOptions } from "../types.js";
import type { Channel } from "./channel.js";
import { type PortableError, portableError, revivedError } from "./error-transport.js";

type Call = { readonly type: "verl/rpc/call"; readonly id: number; readonly method: string; readonly args: unknown };
type Abort = { readonly type: "verl/rpc/abort"; readonly id: number };
type Answer = { readonly type: "verl/rpc/answer"; readonly id: number } & (
  | { readonly value: unknown }
  | { readonly error: PortableError }
);

/** What one side of a channel can be asked to do, by name. */
export type RpcMethods = Readonly<Record<string, (args: never, options: Required<CallOptions>) => Promise<unknown>>>;

/** Answers calls; what is under way when the line closes is aborted. Arguments and results are what the channel can carry. */
export function serveRpc(channel: Channel, methods: RpcMethods, fallback: ErrorCode): void {
  const running = new Map<number, AbortController>();
  channel.onClose(() => {
    for (const controller of running.values()) controller.abort();
  });
  channel.listen(async (raw) => {
    const message = raw as Call | Abort;
    if (message?.type === "verl/rpc/abort") running.get(message.id)?.abort();
    if (message?.type !== "verl/rpc/call") return;
    const { id, method, args } = message;
    const controller = new AbortController();
    running.set(id, controller);
    const answer = (outcome: { value: unknown } | { error: PortableError }) =>
      channel.send({ type: "verl/rpc/answer", id, ...outcome } satisfies Answer);
    try {
      answer({ value: await methods[method](args as never, { signal: controller.signal }) });
    } catch (error) {
      answer({ error: portableError(error, fallback) });
    } finally {
      running.delete(id);
    }
  });
}

export interface RpcClient {
  /** Rejects with the other side's error, or with `lost` when it ends. An aborted call is waited for: it has stopped then. */
  call<T>(method: string, args: unknown, options?: CallOptions): Promise<T>;
}

/** Calls the other side. `who` names it in errors; `lost` is the error of calls that nobody will answer any more. */
export function rpcClient(channel: Channel, who: string, lost: (how: string) => Error): RpcClient {
  interface Pending {
    settle(answer: Answer): void;
    reject(reason: Error): void;
  }
  const pending = new Map<number, Pending>();
  let ended: Error | null = null;
  let next = 0;
  channel.listen((raw) => {
    const message = raw as Answer;
    if (message?.type !== "verl/rpc/answer") return;
    pending.get(message.id)?.settle(message);
    pending.delete(message.id);
  });
  channel.onClose((how) => {
    ended ??= lost(how);
    for (const { reject } of pending.values()) reject(ended);
    pending.clear();
  });
  return {
    async call<T>(method: string, args: unknown, { signal }: CallOptions = {}) {
      signal?.throwIfAborted();
      if (ended) throw ended;
      const id = next++;
      const abort = () => channel.send({ type: "verl/rpc/abort", id } satisfies Abort);
      signal?.addEventListener("abort", abort, { once: true });
      try {
        return await new Promise<T>((resolve, reject) => {
          pending.set(id, {
            reject,
            settle: (answer) => {
              if (!("error" in answer)) resolve(answer.value as T);
              else reject(signal?.aborted ? signal.reason : revivedError(answer.error, who));
            },
          });
          channel.send({ type: "verl/rpc/call", id, method, args } satisfies Call);
        });
      } finally {
        signal?.removeEventListener("abort", abort);
      }
    },
  };
}
