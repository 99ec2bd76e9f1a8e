import { CStrings } from "./c-strings.js";
import type { OrtApi, Pointer } from "./ort-api.js";

/** An execution provider of onnxruntime: how sessions get it, and what is particular about it. */
export interface CApiProvider {
  readonly name: string;
  /** Name of its memory, as onnxruntime knows it. */
  readonly memory: string;
  /** Second results of its fused norms are not to be trusted. */
  readonly plainNorms: boolean;
  append(api: OrtApi, sessionOptions: Pointer): void;
}

export const webGpuProvider: CApiProvider = {
  name: "webgpu",
  memory: "WebGPU_Buffer",
  // The inverse deviation that SimplifiedLayerNormalization returns is wrong (1.30): gradients would be 0 without a word.
  plainNorms: true,
  append(api, sessionOptions) {
    const none = new CStrings(api, []).pointers;
    api.check(api.appendProvider(sessionOptions, "WebGPU", none, none, 0));
  },
};

/** Products in full precision: TensorFloat-32 keeps ten bits of the mantissa. */
const CUDA_OPTIONS = { device_id: "0", use_tf32: "0" };

export const cudaProvider: CApiProvider = {
  name: "cuda",
  memory: "Cuda",
  plainNorms: false,
  append(api, sessionOptions) {
    const options = api.create("createCudaOptions");
    try {
      const keys = new CStrings(api, Object.keys(CUDA_OPTIONS));
      const values = new CStrings(api, Object.values(CUDA_OPTIONS));
      api.check(api.updateCudaOptions(options, keys.pointers, values.pointers, Object.keys(CUDA_OPTIONS).length));
      api.check(api.appendCuda(sessionOptions, options));
    } finally {
      api.releaseCudaOptions(options);
    }
  },
};

/** The processor as if it were a device: the code for devices is tested with it. */
export const processorAsDevice: CApiProvider = {
  name: "processor",
  memory: "Cpu",
  plainNorms: true,
  append() {},
};
