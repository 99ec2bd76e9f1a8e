import type { CallOptions } from "../../../../core/plugin.js";
import { errors } from "../../errors.js";
import type { OrtSession, OrtTensor } from "../ort-runtime.js";
import { runFailed } from "../run-failed.js";
import { CStrings } from "./c-strings.js";
import type { CApiTensor } from "./capi-tensor.js";
import { type OrtApi, offHeapPointers, type Pointer } from "./ort-api.js";

type Tensors = Readonly<Record<string, OrtTensor>>;

export class CApiSession implements OrtSession {
  /** Name arrays by their joined names: a session is run with few different sets of feeds and fetches. */
  private readonly nameLists = new Map<string, CStrings>();
  private readonly running = new Set<Promise<unknown>>();
  private released = false;

  constructor(
    private readonly api: OrtApi,
    readonly handle: Pointer,
    /** Memory that the session refers to. */
    readonly keepAlive: unknown,
  ) {}

  async run(feeds: Tensors, fetches: Tensors, options: CallOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    if (this.released) throw errors.VERL_ONNX_RUN_FAILED({ what: "a session was run after its release" });
    const run = this.runNative(feeds, fetches, options.signal);
    this.running.add(run);
    try {
      await run;
    } catch (cause) {
      options.signal?.throwIfAborted();
      throw runFailed(cause);
    } finally {
      this.running.delete(run);
    }
  }

  async release(): Promise<void> {
    if (this.released) return;
    this.released = true;
    await Promise.allSettled(this.running);
    this.api.releaseSession(this.handle);
  }

  private runNative(feeds: Tensors, fetches: Tensors, signal: AbortSignal | undefined): Promise<void> {
    const { api } = this;
    const inNames = this.names(Object.keys(feeds));
    const outNames = this.names(Object.keys(fetches));
    const ins = handles(Object.values(feeds));
    const outs = handles(Object.values(fetches));
    const runOptions = signal ? api.create("createRunOptions") : null;
    const terminate = () => api.check(api.setTerminate(runOptions));
    signal?.addEventListener("abort", terminate, { once: true });
    return new Promise<void>((resolve, reject) => {
      const done = (error: unknown, status: unknown) => {
        signal?.removeEventListener("abort", terminate);
        if (runOptions !== null) api.releaseRunOptions(runOptions);
        try {
          if (error) throw error;
          api.check(status);
          // The closure also keeps the tensors' memory reachable until here.
          resolve(void [feeds, fetches]);
        } catch (reason) {
          reject(reason);
        }
      };
      api.run.async(
        this.handle,
        runOptions,
        inNames.pointers,
        ins,
        ins.length,
        outNames.pointers,
        outs.length,
        outs,
        done,
      );
    });
  }

  private names(list: readonly string[]): CStrings {
    const key = list.join("\0");
    const known = this.nameLists.get(key);
    if (known) return known;
    const made = new CStrings(this.api, list);
    this.nameLists.set(key, made);
    return made;
  }
}

function handles(tensors: readonly OrtTensor[]): BigUint64Array {
  const out = offHeapPointers(tensors.length);
  tensors.forEach((tensor, i) => {
    out[i] = (tensor as CApiTensor).handle;
  });
  return out;
}
