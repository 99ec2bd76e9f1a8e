import type { InferenceSession, Tensor } from "onnxruntime-node";
import type { CallOptions } from "../../../../core/plugin.js";
import { reasonOf } from "../../../../core/plugin.js";
import { errors } from "../../errors.js";
import type { OnnxDType } from "../../proto/index.js";
import {
  type OrtRuntime,
  type OrtSession,
  type OrtSessionOptions,
  type OrtTensor,
  spinConfig,
  type TensorArrays,
} from "../ort-runtime.js";
import { adoptTensorData } from "../tensor-memory.js";

type Ort = typeof import("onnxruntime-node");

/**
 * onnxruntime through its official Node binding: runs block the calling thread, fetched outputs are written in place but
 * copied once more by the binding, and an abort is noticed between runs.
 */
export async function openBindingRuntime(version: string): Promise<OrtRuntime> {
  const module = (await import("onnxruntime-node")) as Ort & { default?: Ort };
  return new BindingRuntime(module.default ?? module, version);
}

class BindingRuntime implements OrtRuntime {
  readonly kind = "binding";

  constructor(
    private readonly ort: Ort,
    readonly version: string,
  ) {}

  tensor<T extends OnnxDType>(dtype: T, dims: readonly number[], data: TensorArrays[T]): OrtTensor<T> {
    adoptTensorData(dtype, dims, data);
    return new BindingTensor(new this.ort.Tensor(dtype as "float32", data as Float32Array, dims), dtype, dims, data);
  }

  async createSession(model: Uint8Array, options: OrtSessionOptions = {}): Promise<OrtSession> {
    const external = Object.entries(options.externalInitializers ?? {});
    try {
      const session = await this.ort.InferenceSession.create(model, {
        logSeverityLevel: 4,
        intraOpNumThreads: options.threads ?? 0,
        enableMemPattern: options.memoryPattern ?? false,
        ...(options.tracePath === undefined ? {} : { enableProfiling: true, profileFilePrefix: options.tracePath }),
        externalData: external.map(([path, { data }]) => ({
          path,
          data: new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength),
        })),
        extra: { session: { intra_op: spinConfig(options.spin) } },
      });
      return new BindingSession(session);
    } catch (cause) {
      throw errors.VERL_ONNX_SESSION_FAILED({
        what: "onnxruntime could not create a session",
        why: reasonOf(cause),
        cause,
      });
    }
  }
}

class BindingTensor<T extends OnnxDType> implements OrtTensor<T> {
  constructor(
    readonly native: Tensor,
    readonly dtype: T,
    readonly dims: readonly number[],
    readonly data: TensorArrays[T],
  ) {}

  release(): void {
    this.native.dispose();
  }
}

class BindingSession implements OrtSession {
  constructor(private readonly session: InferenceSession) {}

  async run(
    feeds: Readonly<Record<string, OrtTensor>>,
    fetches: Readonly<Record<string, OrtTensor>>,
    options: CallOptions = {},
  ): Promise<void> {
    options.signal?.throwIfAborted();
    try {
      await this.session.run(natives(feeds), natives(fetches));
    } catch (cause) {
      throw errors.VERL_ONNX_RUN_FAILED({
        what: "onnxruntime failed while running a graph",
        why: reasonOf(cause),
        cause,
      });
    }
    options.signal?.throwIfAborted();
  }

  async release(): Promise<void> {
    await this.session.release();
  }
}

function natives(tensors: Readonly<Record<string, OrtTensor>>): Record<string, Tensor> {
  return Object.fromEntries(Object.entries(tensors).map(([k, t]) => [k, (t as BindingTensor<OnnxDType>).native]));
}
