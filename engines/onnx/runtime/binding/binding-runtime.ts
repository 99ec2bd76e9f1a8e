import { reasonOf } from "../../../../core/plugin.js";
import { errors } from "../../errors.js";
import type { OnnxDType } from "../../proto/index.js";
import type { OrtRuntime, OrtSession, OrtSessionOptions, OrtTensor, TensorArrays } from "../ort-runtime.js";
import { adoptTensorData } from "../tensor-memory.js";
import { loadBinding } from "./binding-session.js";
import { BindingTensor } from "./binding-tensor.js";
import { BindingThread } from "./binding-thread.js";
import { createInlineSession } from "./inline-session.js";
import { createThreadSession } from "./thread-session.js";

/**
 * onnxruntime through its official Node binding, which computes on the thread that calls it. So sessions live in a worker
 * thread, to which feeds are copied and from which fetches are copied back: the binding takes no shared memory. Sessions whose
 * runs are short stay on the calling thread. The binding cannot stop a run: an abort rejects at once, and the run ends unseen.
 */
export async function openBindingRuntime(version: string): Promise<OrtRuntime> {
  // Here, so that a binding that cannot be loaded says so now.
  await loadBinding();
  return new BindingRuntime(version);
}

class BindingRuntime implements OrtRuntime {
  readonly kind = "binding";
  private thread: BindingThread | null = null;

  constructor(readonly version: string) {}

  tensor<T extends OnnxDType>(dtype: T, dims: readonly number[], data: TensorArrays[T]): OrtTensor<T> {
    adoptTensorData(dtype, dims, data);
    return new BindingTensor(dtype, dims, data);
  }

  async createSession(model: Uint8Array, options: OrtSessionOptions = {}): Promise<OrtSession> {
    try {
      if (options.shortRuns) return await createInlineSession(model, options);
      if (this.thread === null || this.thread.isLost) this.thread = new BindingThread();
      return await createThreadSession(this.thread, model, options);
    } catch (cause) {
      throw errors.VERL_ONNX_SESSION_FAILED({
        what: "onnxruntime could not create a session",
        why: reasonOf(cause),
        cause,
      });
    }
  }
}
