import { definePlugin } from "../../core/plugin.js";
import { lastOf, serverRewardModel } from "./server-model.js";

/** vLLM's `POST /classify`: the raw logit of the last label. */
export const vllmRewardModel = serverRewardModel({
  name: "vllm",
  path: "/classify",
  body: (model, input) => ({ model, input, use_activation: false }),
  scoreOf: ({ probs }) => lastOf(probs),
});

/** SGLang's `POST /v1/embeddings`: of a classification model the embedding is its scores. */
export const sglangRewardModel = serverRewardModel({
  name: "sglang",
  path: "/v1/embeddings",
  body: (model, input) => ({ model, input }),
  scoreOf: ({ embedding }) => lastOf(embedding),
});

/** Reward models on inference servers. */
export const rewardsPlugin = definePlugin({
  name: "verl-ts/rewards",
  apiVersion: "^1.0.0",
  provides: ["rewardModel"],
  register(host) {
    host.rewardModels.register(vllmRewardModel);
    host.rewardModels.register(sglangRewardModel);
  },
});
