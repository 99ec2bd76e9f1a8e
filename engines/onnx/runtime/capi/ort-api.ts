/**
 * The functions of onnxruntime's C API that are used here, with their places in `struct OrtApi` (the struct only ever
 * grows at its end). Pointers travel as 64-bit integers; `void *` parameters also take typed arrays.
 */
const FUNCTIONS = {
  getErrorMessage: [2, "const char *ortGetErrorMessage(void *status)"],
  createEnv: [3, "void *ortCreateEnv(int level, const char *id, void *out)"],
  createSessionFromArray: [
    8,
    "void *ortCreateSession(void *env, void *model, size_t length, void *options, void *out)",
  ],
  run: [
    9,
    "void *ortRun(void *session, void *options, void *inNames, void *ins, size_t numIns, void *outNames, size_t numOuts, void *outs)",
  ],
  createSessionOptions: [10, "void *ortCreateSessionOptions(void *out)"],
  enableProfiling: [14, "void *ortEnableProfiling(void *options, void *path)"],
  enableMemPattern: [16, "void *ortEnableMemPattern(void *options)"],
  disableMemPattern: [17, "void *ortDisableMemPattern(void *options)"],
  setLogSeverity: [22, "void *ortSetSessionLogSeverityLevel(void *options, int level)"],
  setIntraOpThreads: [24, "void *ortSetIntraOpNumThreads(void *options, int threads)"],
  createRunOptions: [39, "void *ortCreateRunOptions(void *out)"],
  setTerminate: [46, "void *ortRunOptionsSetTerminate(void *options)"],
  createAllocatedTensor: [
    48,
    "void *ortCreateAllocatedTensor(void *allocator, void *dims, size_t numDims, int type, void *out)",
  ],
  createTensor: [
    49,
    "void *ortCreateTensor(void *memory, void *data, size_t bytes, void *dims, size_t numDims, int type, void *out)",
  ],
  createMemoryInfo: [68, "void *ortCreateMemoryInfo(const char *name, int allocator, int id, int memType, void *out)"],
  createCpuMemoryInfo: [69, "void *ortCreateCpuMemoryInfo(int allocator, int memType, void *out)"],
  releaseStatus: [93, "void ortReleaseStatus(void *status)"],
  releaseSession: [95, "void ortReleaseSession(void *session)"],
  releaseValue: [96, "void ortReleaseValue(void *value)"],
  releaseRunOptions: [97, "void ortReleaseRunOptions(void *options)"],
  releaseSessionOptions: [100, "void ortReleaseSessionOptions(void *options)"],
  addSessionConfigEntry: [130, "void *ortAddSessionConfigEntry(void *options, const char *key, const char *value)"],
  createAllocator: [131, "void *ortCreateAllocator(void *session, void *memory, void *out)"],
  createAndRegisterAllocator: [144, "void *ortCreateAndRegisterAllocator(void *env, void *memory, void *config)"],
  appendCuda: [204, "void *ortAppendCuda(void *options, void *cuda)"],
  createCudaOptions: [205, "void *ortCreateCudaOptions(void *out)"],
  updateCudaOptions: [206, "void *ortUpdateCudaOptions(void *cuda, void *keys, void *values, size_t count)"],
  releaseCudaOptions: [208, "void ortReleaseCudaOptions(void *cuda)"],
  addExternalInitializers: [
    210,
    "void *ortAddExternalInitializers(void *options, void *names, void *values, size_t count)",
  ],
  appendProvider: [
    216,
    "void *ortAppendProvider(void *options, const char *name, void *keys, void *values, size_t count)",
  ],
} as const;

const API_VERSION = 22;
const TABLE_LENGTH = 217;

export type Pointer = bigint;
/** A pointer argument: an address, memory passed for the length of the call, or NULL. */
export type PointerArgument = Pointer | ArrayBufferView | null;
type Argument = PointerArgument | number | string;
type NativeFunction = ((...args: Argument[]) => unknown) & {
  async(...args: [...Argument[], (error: unknown, result: unknown) => void]): void;
};

export type OrtApi = Readonly<Record<keyof typeof FUNCTIONS, NativeFunction>> & {
  readonly version: string;
  /** Address of memory outside V8's heap. */
  address(memory: ArrayBufferView): Pointer;
  /** Throws what a returned status says; a null status is success. */
  check(status: unknown): void;
  /** Call a function whose last parameter receives a pointer. */
  create(name: keyof typeof FUNCTIONS, ...args: Argument[]): Pointer;
  createAsync(name: keyof typeof FUNCTIONS, ...args: Argument[]): Promise<Pointer>;
};

/** The part of koffi that is used; spelt out, so that our types do not ask for an optional dependency. */
export interface Koffi {
  config(): StackSizes;
  config(sizes: StackSizes): unknown;
  load(path: string): KoffiLibrary;
  proto(signature: string): unknown;
  array(type: string, length: number): unknown;
  decode(pointer: Pointer, type: unknown): unknown;
  call(pointer: Pointer, type: unknown, ...args: unknown[]): unknown;
  address(memory: ArrayBufferView): Pointer;
}
interface StackSizes {
  readonly sync_stack_size?: number;
  readonly async_stack_size?: number;
}
interface KoffiLibrary {
  func(signature: string): () => unknown;
}

/**
 * Libraries that were opened, for the life of the process: koffi unloads a library whose wrapper is collected, and the
 * function pointers taken from it would then lead into unmapped memory.
 */
const libraries: KoffiLibrary[] = [];

export function openOrtApi(ffi: Koffi, libraryPath: string): OrtApi {
  ensureStacks(ffi);
  const library = ffi.load(libraryPath);
  libraries.push(library);
  return bindFunctions(ffi, library);
}

/** Kernels need far more stack than koffi's default of 128 KiB for asynchronous calls. Set once, before its first library. */
function ensureStacks(ffi: Koffi): void {
  const bytes = 8 << 20;
  const { sync_stack_size: sync = 0, async_stack_size: async = 0 } = ffi.config();
  if (sync >= bytes && async >= bytes) return;
  try {
    ffi.config({ sync_stack_size: bytes, async_stack_size: bytes });
  } catch (cause) {
    throw new Error("other code in this process loaded a library through koffi first, with stacks that are too small", {
      cause,
    });
  }
}

function bindFunctions(ffi: Koffi, library: KoffiLibrary): OrtApi {
  const base = library.func("void *OrtGetApiBase()")() as Pointer;
  const [getApi, getVersion] = ffi.decode(base, ffi.array("void *", 2)) as Pointer[];
  const version = ffi.call(getVersion, ffi.proto("const char *ortGetVersionString()")) as string;
  const table = ffi.call(getApi, ffi.proto("void *ortGetApi(uint32_t version)"), API_VERSION) as Pointer | null;
  if (table === null) throw new Error(`onnxruntime ${version} does not offer version ${API_VERSION} of its C API`);
  const slots = ffi.decode(table, ffi.array("void *", TABLE_LENGTH)) as Pointer[];
  const functions = Object.fromEntries(
    Object.entries(FUNCTIONS).map(([name, [slot, signature]]) => [
      name,
      ffi.decode(slots[slot], ffi.proto(signature)) as NativeFunction,
    ]),
  ) as Record<keyof typeof FUNCTIONS, NativeFunction>;

  const check = (status: unknown): void => {
    if (status === null) return;
    const message = functions.getErrorMessage(status as Pointer) as string;
    functions.releaseStatus(status as Pointer);
    throw new Error(message);
  };
  return {
    ...functions,
    version,
    check,
    address: (memory) => ffi.address(memory),
    create(name, ...args) {
      const out = offHeapPointers(1);
      check(functions[name](...args, out));
      return out[0];
    },
    createAsync(name, ...args) {
      const out = offHeapPointers(1);
      return new Promise((resolve, reject) => {
        functions[name].async(...args, out, (error, status) => {
          try {
            if (error) throw error;
            check(status);
            resolve(out[0]);
          } catch (reason) {
            reject(reason);
          }
        });
      });
    },
  };
}

/** Typed arrays of up to 64 bytes start on V8's heap, where they may move; an explicit buffer never does. */
export function offHeapPointers(count: number): BigUint64Array {
  return new BigUint64Array(new ArrayBuffer(count * 8));
}
