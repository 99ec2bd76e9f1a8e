import type { ProbeResult } from "../../core/plugin.js";

/** `y = Identity(x)` over one float: the smallest graph there is, as an ONNX file. */
const IDENTITY =
  "CAoSB3ZlcmwtdHM6QwocCgF4EgF5GgpJZGVudGl0eV8wIghJZGVudGl0eRIBZ1oPCgF4EgoKCAgBEgQKAggBYg8KAXkSCgoICAESBAoCCAFCAhAXQhEKDWNvbS5taWNyb3NvZnQQAQ==";

/** Entry of the child process that asks for an adapter: one line of JSON, a {@link ProbeResult}. */
async function probe(): Promise<ProbeResult> {
  let ort: typeof import("onnxruntime-node");
  try {
    const module = (await import("onnxruntime-node")) as typeof ort & { default?: typeof ort };
    ort = module.default ?? module;
  } catch {
    return { status: "unusable", reason: "onnxruntime-node is not installed (npm install onnxruntime-node)" };
  }
  const listed = ort.listSupportedBackends().find(({ name }) => name === "webgpu");
  if (!listed?.bundled) {
    return { status: "unusable", reason: `onnxruntime-node has no WebGPU for ${process.platform}-${process.arch}` };
  }
  try {
    const options = { executionProviders: ["webgpu"], logSeverityLevel: 4 } as const;
    const session = await ort.InferenceSession.create(Buffer.from(IDENTITY, "base64"), options);
    const { y } = await session.run({ x: new ort.Tensor("float32", Float32Array.of(3), [1]) });
    if ((y.data as Float32Array)[0] !== 3) return { status: "unusable", reason: "the adapter computes wrong numbers" };
    return { status: "yes", reason: "onnxruntime has an adapter" };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { status: "unusable", reason: /Failed to .*$/.exec(text)?.[0] ?? text.split("\n")[0] };
  }
}

process.stdout.write(`${JSON.stringify(await probe())}\n`);
// Its threads would keep the process.
process.exit(0);
