import { composeServerAdapter } from "../../../../core/rollout/index.js";
import { createOnnxReplica } from "../../../../engines/onnx/rollout/replica.js";
import { runConformance } from "../../../../testing/case.js";
import { rolloutConformance } from "../../../../testing/rollout/index.js";
import { randomWeights, tiny, tinyConfig } from "./tiny-model.js";

const variants = {
  "onnx rollout": { keepCacheMiB: 0 },
  "onnx rollout with plain attention through the official binding": { runtime: "binding" },
};

for (const [name, extra] of Object.entries(variants)) {
  const cases = rolloutConformance(() => ({
    vocabSize: tiny.vocabSize,
    create: async (demands) => {
      const replica = createOnnxReplica({ ...demands, model: { config: tinyConfig }, threads: 1, extra });
      return { replica, adapter: composeServerAdapter(replica) };
    },
    weights: (seed) => randomWeights(tiny, seed),
  }));
  runConformance(name, cases, { describe, it });
}
