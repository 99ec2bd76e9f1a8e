import { composeServerAdapter, type RolloutFactory, type ServerAdapterFactory } from "../../../core/plugin.js";

/** The built-in inference server: rollout name `onnx`. */
export const onnxRolloutFactory: RolloutFactory = {
  name: "onnx",
  async createReplica(options) {
    const { createOnnxReplica } = await import("./replica.js");
    return createOnnxReplica(options);
  },
  async check(options) {
    const { checkRollout } = await import("../check.js");
    return checkRollout(options);
  },
  async estimate(options) {
    const { estimateRollout } = await import("../estimate.js");
    return estimateRollout(options);
  },
};

export const onnxServerAdapterFactory: ServerAdapterFactory = {
  name: "onnx",
  createAdapter: ({ replica }) => composeServerAdapter(replica),
};
