import type { Tokenizer } from "../../data/tokenizer.js";
import type { BaseEngine } from "../../engine/engine.js";
import type { Awaitable, CallOptions, Logger } from "../../host/types.js";
import type { ServerClient } from "../servers/server-client.js";

/** A conversation with its last answer, as the reward model's own template renders it. */
export interface RenderedConversation {
  /** Without the text of the beginning-of-sequence token, which encoding adds. */
  readonly text: string;
  /** `text` encoded, special tokens of the tokenizer added; encoded anew each time it is read. */
  readonly ids: readonly number[];
}

/**
 * A discriminative reward model: one number per conversation. Registered by name and chosen by
 * `reward.reward_model.rollout.name`; templates, deadlines and error policies are the host's.
 */
export interface RewardModel {
  /** Before the first call: loads the weights, or checks that the servers answer. Called again after `sleep`. */
  start(options?: CallOptions): Promise<void>;
  /** One finite number. Calls may overlap; a model that works in batches gathers them. */
  score(conversation: RenderedConversation, options?: CallOptions): Promise<number>;
  /** Frees its memory until the next `start`. */
  sleep(): Promise<void>;
  dispose(): Promise<void>;
}

export interface RewardModelFactory {
  readonly name: string;
  create(options: RewardModelOptions): Awaitable<RewardModel>;
}

export interface RewardModelOptions {
  /** Name of the model on servers: `reward.reward_model.model_name`, else the path as it was configured. */
  readonly modelName: string;
  /** A client of `reward.reward_model.addresses`. Throws `VERL_REWARD_BAD_SERVER` where there are none. */
  servers(): ServerClient;
  /** An engine of `reward.reward_model.model_path` that computes `scores`, forward only; not initialised. */
  openEngine(): Promise<BaseEngine>;
  readonly tokenizer: Tokenizer;
  /** Most tokens that are computed at a time, in an engine. */
  readonly maxTokens: number;
  readonly logger: Logger;
}
