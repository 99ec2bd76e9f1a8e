import { composeReplica, type RolloutOptions, type WeightReceiver } from "../../../core/plugin.js";
import { OnnxBackend } from "./onnx-backend.js";

export function createOnnxReplica(options: RolloutOptions): WeightReceiver {
  return composeReplica(new OnnxBackend(options), { ...options, name: "onnx" });
}
