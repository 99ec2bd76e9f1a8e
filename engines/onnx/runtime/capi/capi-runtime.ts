import { reasonOf } from "../../../../core/plugin.js";
import { errors } from "../../errors.js";
import { ONNX_DTYPE_CODES, type OnnxDType } from "../../proto/index.js";
import type { OrtRuntime, OrtSession, OrtSessionOptions, OrtTensor, TensorArrays } from "../ort-runtime.js";
import { adoptTensorData } from "../tensor-memory.js";
import { CStrings } from "./c-strings.js";
import { CApiSession } from "./capi-session.js";
import { type Koffi, type OrtApi, offHeapPointers, openOrtApi, type Pointer } from "./ort-api.js";

/** Errors come back as statuses; printing them as well would garble the terminal. */
const LOG_FATAL_ONLY = 4;
const ARENA_ALLOCATOR = 1;
const DEFAULT_MEMORY = 0;

/** onnxruntime through its C API: caller-owned memory in and out, runs off the main thread, abort in mid-run. */
export async function openCApiRuntime(libraryPath: string): Promise<OrtRuntime> {
  const koffi = (await import("koffi")).default as unknown as Koffi;
  const known = opened.get(libraryPath);
  if (known) return known;
  const runtime = new CApiRuntime(openOrtApi(koffi, libraryPath));
  opened.set(libraryPath, runtime);
  return runtime;
}

/** One per library: onnxruntime's environment, and the arena registered with it, belong to the process. */
const opened = new Map<string, OrtRuntime>();

class CApiRuntime implements OrtRuntime {
  readonly kind = "capi";
  readonly version: string;
  private readonly env: Pointer;
  private readonly cpuMemory: Pointer;

  constructor(private readonly api: OrtApi) {
    this.version = api.version;
    this.env = api.create("createEnv", LOG_FATAL_ONLY, "verl");
    this.cpuMemory = api.create("createCpuMemoryInfo", ARENA_ALLOCATOR, DEFAULT_MEMORY);
    // One arena for all sessions: forward, backward and decoding use its blocks in turn instead of each keeping its own.
    api.check(api.createAndRegisterAllocator(this.env, this.cpuMemory, null));
  }

  tensor<T extends OnnxDType>(dtype: T, dims: readonly number[], data: TensorArrays[T]): OrtTensor<T> {
    adoptTensorData(dtype, dims, data);
    return new CApiTensor(this.api, this.cpuMemory, dtype, dims, data);
  }

  async createSession(model: Uint8Array, options: OrtSessionOptions = {}): Promise<OrtSession> {
    const { api } = this;
    const native = api.create("createSessionOptions");
    try {
      const keepAlive = this.configure(native, options);
      const handle = await api.createAsync("createSessionFromArray", this.env, model, model.length, native);
      return new CApiSession(api, handle, keepAlive);
    } catch (cause) {
      throw errors.VERL_ONNX_SESSION_FAILED({
        what: "onnxruntime could not create a session",
        why: reasonOf(cause),
        cause,
      });
    } finally {
      api.releaseSessionOptions(native);
    }
  }

  /** Returns what must stay referenced as long as the session. */
  private configure(native: Pointer, options: OrtSessionOptions): unknown {
    const { api } = this;
    const set = (key: string, value: string) => api.check(api.addSessionConfigEntry(native, key, value));
    api.check(api.setLogSeverity(native, LOG_FATAL_ONLY));
    api.check(api.setIntraOpThreads(native, options.threads ?? 0));
    api.check(options.memoryPattern ? api.enableMemPattern(native) : api.disableMemPattern(native));
    set("session.use_env_allocators", "1");
    set("session.intra_op.allow_spinning", options.spin ? "1" : "0");
    const external = Object.entries(options.externalInitializers ?? {});
    if (external.length === 0) return null;
    const names = new CStrings(
      api,
      external.map(([name]) => name),
    );
    const values = offHeapPointers(external.length);
    external.forEach(([, tensor], i) => {
      values[i] = (tensor as CApiTensor).handle;
    });
    api.check(api.addExternalInitializers(native, names.pointers, values, external.length));
    return external;
  }
}

/** An OrtValue over the caller's memory. */
export class CApiTensor<T extends OnnxDType = OnnxDType> implements OrtTensor<T> {
  private value: Pointer;

  constructor(
    private readonly api: OrtApi,
    memory: Pointer,
    readonly dtype: T,
    readonly dims: readonly number[],
    readonly data: TensorArrays[T],
  ) {
    const shape = new BigInt64Array(new ArrayBuffer(dims.length * 8));
    dims.forEach((d, i) => {
      shape[i] = BigInt(d);
    });
    const code = ONNX_DTYPE_CODES[dtype];
    this.value = api.create("createTensor", memory, data, data.byteLength, shape, dims.length, code);
  }

  get handle(): Pointer {
    if (this.value === 0n) throw errors.VERL_ONNX_BAD_TENSOR({ what: "a tensor was used after its release" });
    return this.value;
  }

  release(): void {
    if (this.value !== 0n) this.api.releaseValue(this.value);
    this.value = 0n;
  }
}
