import type { InferenceSession } from "onnxruntime-node";
import type { CallOptions } from "../../../../core/plugin.js";
import type { OrtSession, OrtSessionOptions, OrtTensor } from "../ort-runtime.js";
import { runFailed } from "../run-failed.js";
import { createNative, loadBinding, type NativeTensors, type Ort, settingsOf } from "./binding-session.js";

/** A session on the calling thread, over the caller's memory. */
export async function createInlineSession(model: Uint8Array, options: OrtSessionOptions): Promise<OrtSession> {
  const ort = await loadBinding();
  return new InlineSession(ort, await createNative(ort, model, settingsOf(options)));
}

class InlineSession implements OrtSession {
  constructor(
    private readonly ort: Ort,
    private readonly session: InferenceSession,
  ) {}

  async run(
    feeds: Readonly<Record<string, OrtTensor>>,
    fetches: Readonly<Record<string, OrtTensor>>,
    options: CallOptions = {},
  ): Promise<void> {
    options.signal?.throwIfAborted();
    try {
      await this.session.run(this.natives(feeds), this.natives(fetches));
    } catch (cause) {
      throw runFailed(cause);
    }
    options.signal?.throwIfAborted();
  }

  async release(): Promise<void> {
    await this.session.release();
  }

  private natives(tensors: Readonly<Record<string, OrtTensor>>): NativeTensors {
    return Object.fromEntries(
      Object.entries(tensors).map(([name, { dtype, dims, data }]) => [
        name,
        new this.ort.Tensor(dtype as "float32", data as Float32Array, dims),
      ]),
    );
  }
}
