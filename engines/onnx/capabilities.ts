import type { EngineCapabilities, EngineModelType } from "../../core/plugin.js";
import { HEADS } from "./heads.js";
import { HEAD_OUTPUTS } from "./models/head.js";

/** What the engine can do with a model on a device. */
export function engineCapabilities(modelType: EngineModelType, device: string): EngineCapabilities {
  return {
    weights: "stream",
    backward: "fused",
    optimizer: "engine",
    outputs: HEAD_OUTPUTS[HEADS[modelType]],
    devices: [device],
    dtypes: ["f32"],
    adapters: true,
    multiModal: false,
  };
}
