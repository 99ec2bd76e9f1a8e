import type { Tokenizer } from "../../data/tokenizer.js";
import { Semaphore } from "../../host/util/semaphore.js";
import { refuseMedia, renderConversation } from "../model/render-conversation.js";
import type { RewardModel } from "../model/reward-model.js";
import type { RewardManager, RewardManagerOptions } from "../reward.js";
import { tracedScore } from "../traced-parts.js";
import { inTurn, scoredCall } from "./scored-call.js";

/** A discriminative reward model with the tokenizer whose template renders what it sees. */
export interface ModelWithTokenizer {
  readonly model: RewardModel;
  readonly tokenizer: Tokenizer;
}

/** Every trajectory is scored by the reward model (`reward.reward_model`), whatever its data source. The score is all there is. */
export function createModelRewardManager(
  { model, tokenizer }: ModelWithTokenizer,
  options: Pick<RewardManagerOptions, "tokenizer" | "deadlineMs" | "maxConcurrent" | "tracer">,
): RewardManager {
  const slots = new Semaphore(options.maxConcurrent);
  return {
    async score(input, { signal } = {}) {
      const result = await inTurn(
        input,
        signal,
        async () => ({ release: await slots.acquire(signal) }),
        () =>
          tracedScore(options.tracer, "model", () =>
            scoredCall(input, { deadlineMs: options.deadlineMs, signal }, async (deadline) => {
              refuseMedia(input);
              const conversation = renderConversation(input, { policy: options.tokenizer, model: tokenizer });
              return { score: await model.score(conversation, { signal: deadline }) };
            }),
          ),
      );
      return { ...result, extra: {} };
    },
    supports: () => true,
    start: (call) => model.start(call),
    dispose: () => model.dispose(),
  };
}
