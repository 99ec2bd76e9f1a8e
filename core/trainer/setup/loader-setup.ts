import type { RunConfig } from "../../config/run-config.js";
import {
  createPromptLoader,
  type Dataset,
  type PromptLoader,
  type Sampler,
  type SamplerOptions,
} from "../../data/index.js";
import type { InputScope } from "../run-scope.js";
import { userPart } from "./user-parts.js";

/** Who hands out the training rows: the sampler of `data.sampler`, or the order of `data.shuffle`. */
export async function openLoader(
  { config, services, logger }: Pick<InputScope, "config" | "services" | "logger">,
  dataset: Dataset,
): Promise<PromptLoader> {
  const { data } = config;
  const { shuffle, sampler, train_batch_size: batchSize } = data;
  // Without a seed the order is random; the checkpoint keeps the seed that was drawn.
  const seed = data.seed ?? Math.floor(Math.random() * 2 ** 31);
  const { class_path: path, class_name: exportName } = sampler;
  const own = await userPart<SamplerOptions, Sampler>(
    services,
    { path, name: exportName },
    { key: "data.sampler", methods: ["next", "state", "restore"], names: { path: "class_path", name: "class_name" } },
  );
  const name = samplerName(data);
  const factory = own ?? services.registries.samplers.require(name);
  // A data set without a whole batch is refused before a sampler sees it.
  if (dataset.length < batchSize) return createPromptLoader({ dataset, batchSize, shuffle, seed });
  const made = await factory.create({ dataset, batchSize, seed, kwargs: sampler.kwargs, logger });
  return createPromptLoader({ dataset, batchSize, shuffle, seed, sampler: { name, sampler: made } });
}

/** By which a checkpoint remembers who decided the order. */
export function samplerName({ sampler, shuffle }: RunConfig["data"]): string {
  if (sampler.class_path !== null) return `${sampler.class_path}#${sampler.class_name}`;
  return sampler.name ?? (shuffle ? "random" : "sequential");
}
