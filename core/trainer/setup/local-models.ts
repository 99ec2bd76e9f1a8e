import { hubModels, type RunConfig } from "../../config/index.js";
import { type HubOptions, hubSnapshot } from "../../formats/index.js";

/** The configuration with every model of the Hugging Face Hub replaced by where its files are, downloaded if need be. */
export async function localModels(
  config: RunConfig,
  options: HubOptions & { readonly cwd: string },
): Promise<RunConfig> {
  const paths = new Map<string, string>();
  for (const { value, reference } of hubModels(config, options.cwd)) {
    if (!paths.has(value)) paths.set(value, await hubSnapshot(reference, options));
  }
  if (paths.size === 0) return config;
  const found = (path: string | null) => (path === null ? null : (paths.get(path) ?? path));
  const local = <T extends { readonly path: string | null; readonly tokenizer_path: string | null }>(model: T): T => {
    return { ...model, path: found(model.path), tokenizer_path: found(model.tokenizer_path) };
  };
  const { actor_rollout_ref: actor, critic, reward } = config;
  const scorer = reward.reward_model;
  return {
    ...config,
    actor_rollout_ref: { ...actor, model: local(actor.model) },
    critic: { ...critic, model: local(critic.model) },
    reward: {
      ...reward,
      reward_model: { ...scorer, model_path: found(scorer.model_path), tokenizer_path: found(scorer.tokenizer_path) },
    },
  };
}
