import type { CallOptions, RenderedConversation, RewardModel, RewardModelFactory } from "verl-ts/plugin";

/**
 * Prefers short conversations. One of your own loads weights in `start` (`options.openEngine()` opens those of
 * `reward.reward_model.model_path` on the training engine), or asks the servers of `options.servers()`.
 */
class ShortIsGood implements RewardModel {
  #loaded = false;

  async start({ signal }: CallOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    this.#loaded = true;
  }

  /** Calls overlap: a model that works in batches gathers them. */
  async score({ ids }: RenderedConversation, { signal }: CallOptions = {}): Promise<number> {
    signal?.throwIfAborted();
    if (!this.#loaded) throw new Error("the reward model __SHORT__ was asked before start()");
    return -ids.length;
  }

  async sleep(): Promise<void> {
    this.#loaded = false;
  }

  async dispose(): Promise<void> {
    this.#loaded = false;
  }
}

export const rewardModel: RewardModelFactory = { name: "__SHORT__", create: () => new ShortIsGood() };
