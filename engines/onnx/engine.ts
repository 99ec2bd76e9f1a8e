import { type BaseEngine, composeEngine, type EngineBackend, type EngineOptions } from "../../core/plugin.js";
import { OnnxBackend } from "./backend/onnx-backend.js";
import type { OrtRuntime } from "./runtime/index.js";

/** What a plugin for other hardware changes about the engine. */
export interface OnnxProvider {
  /** Device name under which the plugin registers the engine, e.g. `npu`. */
  readonly deviceName: string;
  /** How its onnxruntime is opened, e.g. `() => openCApiRuntime("/opt/vendor/libonnxruntime.so")`. */
  openRuntime(): Promise<OrtRuntime>;
  /** `openRuntime` has tested what it opens. Otherwise the engine tests it, in this process. */
  readonly tested?: boolean;
}

/** The ONNX engine: decoder-only models on onnxruntime. On the CPU unless a provider is given. */
export function createOnnxEngine(options: EngineOptions, provider?: OnnxProvider): BaseEngine {
  const { optimizer, topology } = options;
  return composeEngine(createOnnxBackend(options, provider), { optimizer, topology });
}

/** Its backend, from which the host composes an engine over several processes. */
export function createOnnxBackend(options: EngineOptions, provider?: OnnxProvider): EngineBackend {
  return new OnnxBackend(options, provider);
}
