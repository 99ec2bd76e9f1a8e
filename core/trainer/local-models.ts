import { hubModels, type RunConfig } from "../config/index.js";
import { type HubOptions, hubSnapshot } from "../formats/index.js";

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
  const local = <T extends { readonly path: string | null; readonly tokenizer_path: string | null }>(model: T): T => {
    const found = (path: string | null) => (path === null ? null : (paths.get(path) ?? path));
    return { ...model, path: found(model.path), tokenizer_path: found(model.tokenizer_path) };
  };
  const { actor_rollout_ref: actor, critic } = config;
  return {
    ...config,
    actor_rollout_ref: { ...actor, model: local(actor.model) },
    critic: { ...critic, model: local(critic.model) },
  };
}
