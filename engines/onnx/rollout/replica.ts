import { composeReplica, type RolloutOptions, type WeightReceiver } from "../../../core/plugin.js";
import { OnnxRolloutBackend } from "./rollout-backend.js";

export function createOnnxReplica(options: RolloutOptions): WeightReceiver {
  return composeReplica(new OnnxRolloutBackend(options), { ...options, name: "onnx" });
}
