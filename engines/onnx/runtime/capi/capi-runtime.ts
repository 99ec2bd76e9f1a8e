import { reasonOf } from "../../../../core/plugin.js";
import { errors } from "../../errors.js";
import { ONNX_DTYPE_CODES, type OnnxDType } from "../../proto/index.js";
import {
  type DeviceMemory,
  type OrtRuntime,
  type OrtSession,
  type OrtSessionOptions,
  type OrtTensor,
  spinConfig,
  type TensorArrays,
} from "../ort-runtime.js";
import { adoptTensorData } from "../tensor-memory.js";
import { CStrings } from "./c-strings.js";
import { CApiSession } from "./capi-session.js";
import { CApiTensor, shapeArray } from "./capi-tensor.js";
import { openDeviceMemory } from "./device-memory.js";
import { type Koffi, type OrtApi, offHeapPointers, openOrtApi, type Pointer } from "./ort-api.js";
import type { CApiProvider } from "./provider.js";

/** Errors come back as statuses; printing them as well would garble the terminal. */
const LOG_FATAL_ONLY = 4;
const ARENA_ALLOCATOR = 1;
const DEFAULT_MEMORY = 0;

/**
 * onnxruntime through its C API: caller-owned memory in and out, runs off the main thread, abort in mid-run. With a provider
 * sessions compute on its device.
 */
export async function openCApiRuntime(libraryPath: string, provider?: CApiProvider): Promise<OrtRuntime> {
  const koffi = (await import("koffi")).default as unknown as Koffi;
  let library = opened.get(libraryPath);
  if (!library) {
    library = openLibrary(openOrtApi(koffi, libraryPath));
    opened.set(libraryPath, library);
  }
  const name = provider?.name ?? "";
  let runtime = library.runtimes.get(name);
  if (!runtime) {
    runtime = openRuntime(library, provider);
    runtime.catch(() => library.runtimes.delete(name));
    library.runtimes.set(name, runtime);
  }
  return runtime;
}

/** One per library: onnxruntime's environment, and the arena registered with it, belong to the process. */
interface Library {
  readonly api: OrtApi;
  readonly env: Pointer;
  readonly cpuMemory: Pointer;
  /** By provider. */
  readonly runtimes: Map<string, Promise<OrtRuntime>>;
}
const opened = new Map<string, Library>();

function openLibrary(api: OrtApi): Library {
  const env = api.create("createEnv", LOG_FATAL_ONLY, "verl");
  const cpuMemory = api.create("createCpuMemoryInfo", ARENA_ALLOCATOR, DEFAULT_MEMORY);
  // One arena for all sessions: forward, backward and decoding use its blocks in turn instead of each keeping its own.
  api.check(api.createAndRegisterAllocator(env, cpuMemory, null));
  return { api, env, cpuMemory, runtimes: new Map() };
}

async function openRuntime(library: Library, provider: CApiProvider | undefined): Promise<OrtRuntime> {
  const runtime = new CApiRuntime(library, provider);
  if (provider) runtime.device = await openDeviceMemory(runtime, library.api, provider.memory);
  return runtime;
}

/** A path as onnxruntime wants it: UTF-16 on Windows. */
function pathText(text: string): Uint8Array {
  return Buffer.from(`${text}\0`, process.platform === "win32" ? "utf16le" : "utf8");
}

class CApiRuntime implements OrtRuntime {
  readonly kind = "capi";
  readonly version: string;
  readonly plainNorms: boolean;
  device?: DeviceMemory;

  constructor(
    private readonly library: Library,
    private readonly provider: CApiProvider | undefined,
  ) {
    this.version = library.api.version;
    this.plainNorms = provider?.plainNorms ?? false;
  }

  tensor<T extends OnnxDType>(dtype: T, dims: readonly number[], data: TensorArrays[T]): OrtTensor<T> {
    adoptTensorData(dtype, dims, data);
    const { api, cpuMemory } = this.library;
    const shape = shapeArray(dims);
    const code = ONNX_DTYPE_CODES[dtype];
    const value = api.create("createTensor", cpuMemory, data, data.byteLength, shape, dims.length, code);
    return new CApiTensor(api, value, dtype, dims, data);
  }

  async createSession(model: Uint8Array, options: OrtSessionOptions = {}): Promise<OrtSession> {
    const { api, env } = this.library;
    const native = api.create("createSessionOptions");
    try {
      const keepAlive = this.configure(native, options);
      const handle = await api.createAsync("createSessionFromArray", env, model, model.length, native);
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
    const { api } = this.library;
    this.provider?.append(api, native);
    const set = (key: string, value: string) => api.check(api.addSessionConfigEntry(native, key, value));
    api.check(api.setLogSeverity(native, LOG_FATAL_ONLY));
    api.check(api.setIntraOpThreads(native, options.threads ?? 0));
    api.check(options.memoryPattern ? api.enableMemPattern(native) : api.disableMemPattern(native));
    if (options.tracePath !== undefined) api.check(api.enableProfiling(native, pathText(options.tracePath)));
    set("session.use_env_allocators", "1");
    for (const [key, value] of Object.entries(spinConfig(options.spin))) set(`session.intra_op.${key}`, value);
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
