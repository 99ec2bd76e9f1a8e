import type { RolloutCapabilities } from "../../../core/plugin.js";
import { QUANTIZATIONS } from "./quantization.js";

/** What the server can do, whatever the model. */
export const ROLLOUT_CAPABILITIES: RolloutCapabilities = {
  quantizations: QUANTIZATIONS,
  sleepLevels: [1, 2],
  adapters: false,
  deltaWeights: false,
  priority: true,
  http: false,
  logProbs: true,
};
