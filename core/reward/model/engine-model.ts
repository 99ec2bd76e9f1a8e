import { packSequences } from "../../data/batch/sequence-batch.js";
import type { BaseEngine } from "../../engine/engine.js";
import { reasonOf } from "../../host/errors.js";
import type { CallOptions } from "../../host/types.js";
import { rewardErrors } from "../errors.js";
import type { RenderedConversation, RewardModel, RewardModelFactory, RewardModelOptions } from "./reward-model.js";

/** `reward.reward_model.rollout.name: engine`: a sequence-classification folder, computed by a training engine. */
export const engineRewardModel: RewardModelFactory = {
  name: "engine",
  create: (options) => new EngineRewardModel(options),
};

interface Waiting {
  readonly ids: readonly number[];
  readonly signal?: AbortSignal;
  resolve(score: number): void;
  reject(error: unknown): void;
}

/**
 * Forward passes only. What arrives while a batch is computed makes up the next one, as far as `maxTokens` reaches; of a model
 * with several labels the last one's logit counts.
 */
class EngineRewardModel implements RewardModel {
  #engine: BaseEngine | null = null;
  #waiting: Waiting[] = [];
  #working: Promise<void> | null = null;

  constructor(private readonly options: RewardModelOptions) {}

  async start({ signal }: CallOptions = {}): Promise<void> {
    if (this.#engine) return;
    const engine = await this.options.openEngine();
    try {
      if (!engine.capabilities.outputs.includes("scores")) {
        throw rewardErrors.VERL_REWARD_MODEL_UNFIT({
          what: "the engine computes no scores of sequences",
          why: `it computes ${engine.capabilities.outputs.join(", ")}`,
          fix: "choose another engine (reward.reward_model.strategy), or a server (reward.reward_model.rollout.name)",
        });
      }
      await engine.initialize({ signal });
      await engine.evalMode();
    } catch (error) {
      await engine.dispose();
      throw error;
    }
    this.#engine = engine;
  }

  score({ ids }: RenderedConversation, { signal }: CallOptions = {}): Promise<number> {
    const engine = this.#engine;
    if (!engine) throw new Error("the reward model is not loaded");
    const { maxPositions, vocabSize } = engine.modelInfo();
    if (ids.length > maxPositions) {
      throw rewardErrors.VERL_REWARD_TOO_LONG({
        what: `the conversation has ${ids.length} tokens, the reward model ${maxPositions} positions`,
      });
    }
    if (ids.length === 0 || ids.some((id) => id >= vocabSize)) {
      throw rewardErrors.VERL_REWARD_MODEL_UNFIT({
        what: ids.length === 0 ? "the conversation is empty" : `a token of the conversation is not among ${vocabSize}`,
        why: "tokenizer and weights of the reward model must belong together",
      });
    }
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      this.#waiting.push({ ids, signal, resolve, reject });
      this.#working ??= this.#work(engine);
    });
  }

  async sleep(): Promise<void> {
    const engine = this.#engine;
    this.#engine = null;
    await this.#working;
    await engine?.dispose();
  }

  async dispose(): Promise<void> {
    for (const { reject } of this.#waiting.splice(0)) reject(new Error("the run is over"));
    await this.sleep();
  }

  async #work(engine: BaseEngine): Promise<void> {
    // Whoever is called in this turn of the loop belongs to the first batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#compute(engine, this.#nextBatch());
    this.#working = null;
  }

  /** The longest waiting, at least one; those that have given up are left out. */
  #nextBatch(): Waiting[] {
    const batch: Waiting[] = [];
    let tokens = 0;
    while (this.#waiting.length > 0) {
      const [next] = this.#waiting;
      if (!next.signal?.aborted && batch.length > 0 && tokens + next.ids.length > this.options.maxTokens) break;
      this.#waiting.shift();
      if (next.signal?.aborted) {
        next.reject(next.signal.reason);
        continue;
      }
      tokens += next.ids.length;
      batch.push(next);
    }
    return batch;
  }

  async #compute(engine: BaseEngine, batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      const sequences = packSequences(batch.map(({ ids }) => ({ promptIds: ids, responseIds: [] })));
      const { scores } = await engine.inferBatch(sequences, ["scores"]);
      if (!scores) throw new Error("the engine returned no scores");
      const labels = scores.length / batch.length;
      for (const [b, { resolve }] of batch.entries()) resolve(scores[(b + 1) * labels - 1]);
    } catch (error) {
      this.options.logger.debug(`reward model: ${reasonOf(error)}`);
      for (const { reject } of batch) reject(error);
    }
  }
}
