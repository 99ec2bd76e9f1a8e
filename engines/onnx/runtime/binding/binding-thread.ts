import { Worker } from "node:worker_threads";
import type { OnnxDType } from "../../proto/index.js";
import type { SessionSettings } from "./binding-session.js";

/** A tensor on its way: its memory is the buffer at `buffer` of the request's list. */
export interface SentTensor {
  readonly name: string;
  readonly dtype: OnnxDType;
  readonly dims: readonly number[];
  readonly buffer: number;
}

export type ThreadTask =
  | { readonly do: "create"; readonly model: Uint8Array; readonly settings: SessionSettings }
  | {
      readonly do: "run";
      readonly session: number;
      readonly feeds: readonly SentTensor[];
      readonly fetches: readonly SentTensor[];
      /** Moved to the thread and back. */
      readonly buffers: readonly ArrayBuffer[];
    }
  | { readonly do: "release"; readonly session: number };

export interface ThreadReply {
  readonly error: string | null;
  /** Of a session that was created. */
  readonly session: number;
  readonly buffers: readonly ArrayBuffer[];
}

/** The worker thread in which the binding computes. Tasks are done one after the other. */
export class BindingThread {
  /** It has ended, and its sessions with it. */
  isLost = false;
  private readonly worker = new Worker(new URL("./binding-worker.js", import.meta.url));
  private readonly waiting: { resolve(reply: ThreadReply): void; reject(error: Error): void }[] = [];
  private last: Promise<unknown> = Promise.resolve();

  constructor() {
    // Only tasks keep the process alive.
    this.worker.unref();
    this.worker.on("message", (reply: ThreadReply) => {
      this.waiting.shift()?.resolve(reply);
      if (this.waiting.length === 0) this.worker.unref();
    });
    this.worker.on("error", (error) => this.lose(error));
    this.worker.on("exit", () => this.lose(new Error("the thread of onnxruntime's Node binding has ended")));
  }

  /** Does a task when those before it are done; `prepare` is called just then. Rejects with what went wrong in it. */
  perform(
    prepare: () => { readonly task: ThreadTask; readonly transfer: readonly ArrayBuffer[] },
  ): Promise<ThreadReply> {
    const reply = this.last.then(() => {
      const { task, transfer } = prepare();
      return this.post(task, transfer);
    });
    this.last = reply.catch(() => {});
    return reply;
  }

  private post(task: ThreadTask, transfer: readonly ArrayBuffer[]): Promise<ThreadReply> {
    return new Promise((resolve, reject) => {
      if (this.isLost) throw new Error("the thread of onnxruntime's Node binding has ended");
      this.waiting.push({ resolve, reject });
      this.worker.ref();
      this.worker.postMessage(task, [...transfer]);
    });
  }

  private lose(error: Error): void {
    this.isLost = true;
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }
}
