import type { RunConfig } from "../../config/run-config.js";
import type { Tokenizer } from "../../data/index.js";
import type { BaseEngine, EngineModelInfo, EngineOptions } from "../../engine/index.js";
import { rewardErrors } from "../../reward/index.js";
import { rolloutErrors } from "../../rollout/index.js";
import type { RolloutCapabilities } from "../../rollout/rollout.js";
import { trainerErrors } from "../errors.js";
import type { ShownMedia } from "./media-setup.js";

/**
 * What a run demands of its engines and servers. Each demand is made twice: of what they say before they are made, so that all is told at
 * once and early, and of what they are.
 */

type Capable = Pick<BaseEngine, "capabilities">;

export function requireAdapters({ capabilities }: Capable, { adapter }: Pick<EngineOptions, "adapter">): void {
  if (!adapter || capabilities.adapters) return;
  throw trainerErrors.VERL_TRAINER_ENGINE_UNFIT({
    what: "the model is to be trained through a LoRA adapter, and the engine trains none",
    fix: "choose another engine (strategy), or set lora_rank to 0 and lora_adapter_path to null",
  });
}

export function requireValues({ capabilities }: Capable): void {
  if (capabilities.outputs.includes("values")) return;
  throw trainerErrors.VERL_TRAINER_ENGINE_UNFIT({
    what: `a critic gives values, and the engine gives ${capabilities.outputs.join(", ")}`,
    fix: "choose another engine (critic.strategy)",
  });
}

/** An id that the model has no embedding for would surface in the middle of a run, or never. */
export function refuseLargerTokenizer({ vocabSize }: Pick<EngineModelInfo, "vocabSize">, tokenizer: Tokenizer): void {
  if (tokenizer.vocabSize <= vocabSize) return;
  const first = JSON.stringify(tokenizer.tokenText(vocabSize));
  throw trainerErrors.VERL_TRAINER_TOKENIZER_TOO_LARGE({
    what: `the tokenizer has ${tokenizer.vocabSize} tokens and the model ${vocabSize}; the first that is too many is ${first}`,
  });
}

/** Whatever it scored would be another conversation, or none. */
export function refuseForeignTokenizer(
  { vocabSize }: Pick<EngineModelInfo, "vocabSize">,
  tokenizer: Tokenizer,
  where: string,
): void {
  if (tokenizer.vocabSize <= vocabSize) return;
  const first = JSON.stringify(tokenizer.tokenText(vocabSize));
  throw rewardErrors.VERL_REWARD_MODEL_UNFIT({
    what: `the tokenizer of the reward model has ${tokenizer.vocabSize} tokens and its weights are of ${vocabSize}; the first that is too many is ${first}`,
    where,
    fix: "use the tokenizer that belongs to the weights (reward.reward_model.tokenizer_path)",
  });
}

/** Training a text model on prompts whose pictures it never sees would go unnoticed. */
export function requireMultiModal({ capabilities }: Capable, shown: ShownMedia, key: string): void {
  const [first] = shown;
  if (capabilities.multiModal || !first) return;
  throw trainerErrors.VERL_TRAINER_ENGINE_UNFIT({
    what: `a prompt holds a medium of the kind ${first[0]}, and the engine understands text alone`,
    where: first[1],
    fix: `use data without media, or an engine that takes them (${key})`,
  });
}

type Serving = { readonly capabilities: RolloutCapabilities };

/** Without the sampler's log-probabilities no step could be trained on. */
export function refuseSilentSampler(
  { replicas }: { readonly replicas: readonly { readonly capabilities: Pick<RolloutCapabilities, "logProbs"> }[] },
  { actor_rollout_ref: { rollout } }: RunConfig,
): void {
  const isAsked = rollout.calculate_log_probs;
  if (isAsked && replicas.every(({ capabilities }) => capabilities.logProbs)) return;
  throw trainerErrors.VERL_TRAINER_NO_LOG_PROBS({
    what: isAsked
      ? `the rollout ${rollout.name} reports no log-probabilities`
      : "actor_rollout_ref.rollout.calculate_log_probs is false",
    why: "the gap between sampler and trainer is measured on every step, and nothing is trained on without it",
  });
}

/** A server that does not know the option would sample with other weights than the configuration says. */
export function requireQuantization(
  { capabilities: { quantizations = [] } }: Serving,
  { name, quantization }: RunConfig["actor_rollout_ref"]["rollout"],
): void {
  if (quantization === null || quantizations.includes(quantization)) return;
  throw rolloutErrors.VERL_ROLLOUT_NO_QUANTIZATION({
    what: `The server ${name} cannot round its weights to ${JSON.stringify(quantization)}`,
    why:
      quantizations.length === 0
        ? "It always samples with the weights as they come."
        : `It knows ${quantizations.join(" and ")}.`,
  });
}

/** A server that ignored them would answer other questions. */
export function requireServedMedia(
  { capabilities: { media: kinds = [] } }: Serving,
  shown: ShownMedia,
  name: string,
): void {
  for (const [kind, where] of shown) {
    if (kinds.includes(kind)) continue;
    throw rolloutErrors.VERL_ROLLOUT_NO_MEDIA({
      what: `A prompt holds a medium of the kind ${kind}, and the rollout ${name} does not take them`,
      where,
      why: kinds.length > 0 ? `It takes ${kinds.join(", ")}.` : "It takes text alone.",
    });
  }
}
