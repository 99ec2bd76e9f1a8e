import { RandomStream } from "../../../core/data/random.js";
import { composeServerAdapter } from "../../../core/rollout/index.js";
import { runConformance } from "../../../testing/case.js";
import { BIGRAM_WEIGHT, createFakeReplica, rolloutConformance } from "../../../testing/rollout/index.js";

const vocabSize = 12;

runConformance(
  "fake replica",
  rolloutConformance(() => ({
    vocabSize,
    create: async (demands) => {
      const replica = createFakeReplica({ ...demands, vocabSize });
      return { replica, adapter: composeServerAdapter(replica) };
    },
    weights: (seed) => {
      const random = new RandomStream(seed, "table");
      const data = Float32Array.from({ length: vocabSize * vocabSize }, () => random.normal());
      return [{ name: BIGRAM_WEIGHT, dtype: "f32", shape: [vocabSize, vocabSize], data }];
    },
  })),
  { describe, it },
);
