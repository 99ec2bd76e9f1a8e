import { reasonOf } from "../../../core/plugin.js";
import type { OnnxProvider } from "../engine.js";
import { errors } from "../errors.js";
import type { OrtRuntime } from "../runtime/index.js";
import { selfTest } from "../runtime/self-test.js";

/** A provider's runtime is tested each time: a wrong kernel would train a wrong model without a word. */
export async function openProvider({ deviceName, openRuntime, tested }: OnnxProvider): Promise<OrtRuntime> {
  const runtime = await openRuntime();
  if (tested) return runtime;
  try {
    await selfTest(runtime);
    return runtime;
  } catch (cause) {
    throw errors.VERL_ONNX_RUNTIME_UNUSABLE({
      what: `the onnxruntime ${runtime.version} of device "${deviceName}" failed its self-test`,
      why: reasonOf(cause),
      cause,
    });
  }
}
