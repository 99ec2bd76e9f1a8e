import { Graph } from "../../ir/index.js";
import { ONNX_DTYPE_CODES } from "../../proto/index.js";
import type { DeviceMemory, OrtRuntime, OrtTensor } from "../ort-runtime.js";
import type { CApiSession } from "./capi-session.js";
import { CApiTensor, shapeArray } from "./capi-tensor.js";
import type { OrtApi } from "./ort-api.js";

const DEVICE_ALLOCATOR = 0;
const FIRST_DEVICE = 0;
const DEFAULT_MEMORY = 0;

/**
 * Memory of a provider's device, by the allocator of a session that copies: it computes `y = x`, and onnxruntime brings `x` to the
 * device and `y` from it as the memory of the two tensors demands. Kept for the life of the process.
 */
export async function openDeviceMemory(runtime: OrtRuntime, api: OrtApi, memory: string): Promise<DeviceMemory> {
  const session = (await runtime.createSession(copyGraph(), { threads: 1 })) as CApiSession;
  const zeros = await runtime.createSession(zeroGraph(), { threads: 1 });
  const info = api.create("createMemoryInfo", memory, DEVICE_ALLOCATOR, FIRST_DEVICE, DEFAULT_MEMORY);
  const allocator = api.create("createAllocator", session.handle, info);
  return {
    tensor(dims) {
      const code = ONNX_DTYPE_CODES.float32;
      const value = api.create("createAllocatedTensor", allocator, shapeArray(dims), dims.length, code);
      return new CApiTensor(api, value, "float32", dims, new Float32Array(0));
    },
    copy: (from: OrtTensor<"float32">, to: OrtTensor<"float32">) => session.run({ x: from }, { y: to }),
    // Of what it is fed the graph reads the shape alone.
    clear: (tensor) => zeros.run({ x: tensor }, { y: tensor }),
  };
}

function zeroGraph(): Uint8Array {
  const g = new Graph("zeros");
  g.output(g.op("ConstantOfShape", [g.op("Shape", [g.input("x", null)])]), "y", null);
  return g.encode();
}

function copyGraph(): Uint8Array {
  const g = new Graph("copy");
  g.output(g.op("Identity", [g.input("x", null)]), "y", null);
  return g.encode();
}
