import type { CallOptions } from "../../../core/plugin.js";
import type { OnnxDType } from "../proto/index.js";

/** Typed arrays that can stand behind a tensor, by element type. 16-bit floats travel as their bits. */
export interface TensorArrays {
  float32: Float32Array;
  float64: Float64Array;
  float16: Uint16Array;
  bfloat16: Uint16Array;
  int64: BigInt64Array;
  int32: Int32Array;
  int8: Int8Array;
  uint8: Uint8Array;
  bool: Uint8Array;
}

/**
 * A tensor over memory that the caller owns. `data` is read where the tensor is fed and written where it is fetched; the
 * same tensor may be both in one run. Make it once and keep it: it costs a native handle, given back by `release`.
 */
export interface OrtTensor<T extends OnnxDType = OnnxDType> {
  readonly dtype: T;
  readonly dims: readonly number[];
  readonly data: TensorArrays[T];
  release(): void;
}

export type Spin = boolean | "briefly";

/** Bridges the gap to the next operator, but not a single-threaded one or the host's work. */
const BRIEF_SPIN_US = 50;

/** Entries of a session's configuration below `session.intra_op`. */
export function spinConfig(spin: Spin = false): Readonly<Record<string, string>> {
  if (spin !== "briefly") return { allow_spinning: spin ? "1" : "0" };
  return { allow_spinning: "1", spin_duration_us: String(BRIEF_SPIN_US) };
}

export interface OrtSessionOptions {
  /** Threads of one run, the calling one included. 0: onnxruntime's choice, one per physical core. */
  readonly threads?: number;
  /**
   * Threads busy-wait between operators, `briefly` for 50 µs at most: faster alone on the machine, slower
   * when cores are shared. Default false.
   */
  readonly spin?: Spin;
  /** Runs take milliseconds: a runtime that would have to copy what it is fed to another thread stays on this one. */
  readonly shortRuns?: boolean;
  /** Reuse one memory plan per set of shapes. Default false: shapes vary in training. */
  readonly memoryPattern?: boolean;
  /** Measure every operator, and write a profile whose path begins so when the session is released. */
  readonly tracePath?: string;
  /** Values for initializers that the model declares as external data, by name. The memory must outlive the session. */
  readonly externalInitializers?: Readonly<Record<string, OrtTensor>>;
}

export interface OrtSession {
  /**
   * Run the graph. Every input is fed; the fetched outputs are written into the memory of the given tensors, whose
   * shapes must be what the graph produces. Feeding and fetching the same memory is allowed where the operator that
   * produces the output reads it elementwise or as the C operand of a `Gemm`.
   */
  run(
    feeds: Readonly<Record<string, OrtTensor>>,
    fetches: Readonly<Record<string, OrtTensor>>,
    options?: CallOptions,
  ): Promise<void>;
  /** Frees the session; runs in flight finish first. */
  release(): Promise<void>;
}

/** Memory of a device on which sessions compute. What stays there is not copied on each run. */
export interface DeviceMemory {
  /** A tensor whose values only runs and copies reach; its `data` is empty. */
  tensor(dims: readonly number[]): OrtTensor<"float32">;
  /** Copies one way or the other, or on the device; both have the same shape. */
  copy(from: OrtTensor<"float32">, to: OrtTensor<"float32">): Promise<void>;
  /** Fills a tensor of the device with 0. */
  clear(tensor: OrtTensor<"float32">): Promise<void>;
}

/**
 * onnxruntime behind one small face. Two implementations: its C API (no copies, off the main thread, stops on abort) and
 * the official Node binding (in a worker thread, with copies in and out; an abort rejects at once, but the run goes on).
 */
export interface OrtRuntime {
  readonly kind: "capi" | "binding";
  /** Version of onnxruntime. */
  readonly version: string;
  /** Whether graphs must not use the second results of fused norms, which some provider gets wrong. */
  readonly plainNorms?: boolean;
  createSession(model: Uint8Array, options?: OrtSessionOptions): Promise<OrtSession>;
  /** Memory of the device; absent where sessions compute in the host's. */
  readonly device?: DeviceMemory;
  /** Wrap memory as a tensor. `data` may be a view into a larger buffer; it must hold exactly the tensor's elements. */
  tensor<T extends OnnxDType>(dtype: T, dims: readonly number[], data: TensorArrays[T]): OrtTensor<T>;
}
