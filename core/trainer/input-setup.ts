import path from "node:path";
import type { RunConfig } from "../config/run-config.js";
import { type Dataset, loadTokenizer, type Tokenizer } from "../data/index.js";
import type { TrainerOptions } from "./trainer.js";

/** What every stage of a run is made from, trainer or not. */
export type RunScope = Pick<TrainerOptions, "config" | "services" | "cwd" | "logger" | "signal">;

export async function openTokenizer(config: RunConfig, cwd: string): Promise<Tokenizer> {
  const { model } = config.actor_rollout_ref;
  const source = model.tokenizer_path ?? model.path;
  if (source === null) throw new TypeError("checked by the configuration: a model without path needs tokenizer_path");
  return loadTokenizer(path.resolve(cwd, source), {
    ...(model.custom_chat_template === null ? {} : { chatTemplate: model.custom_chat_template }),
  });
}

export async function openDataset(options: RunScope, tokenizer: Tokenizer, split: "train" | "val"): Promise<Dataset> {
  const { config, services, cwd, logger, signal } = options;
  const { data } = config;
  const training = split === "train";
  const dataset = await services.registries.datasets.require("rlhf").create({
    files: (training ? data.train_files : data.val_files).map((file) => path.resolve(cwd, file)),
    tokenizer,
    split,
    signal,
    config: {
      promptKey: data.prompt_key,
      maxPromptLength: data.max_prompt_length,
      filterOverlongPrompts: data.filter_overlong_prompts,
      maxSamples: training ? data.train_max_samples : data.val_max_samples,
      shuffle: training ? data.shuffle : data.validation_shuffle,
      seed: data.seed,
      applyChatTemplateKwargs: data.apply_chat_template_kwargs,
      truncation: data.truncation,
    },
  });
  const { report } = dataset;
  const left = report.overlong > 0 ? `, ${report.overlong} longer than ${data.max_prompt_length} tokens left out` : "";
  logger.info(`${training ? "training" : "validation"} data: ${dataset.length} of ${report.rows} rows${left}`);
  return dataset;
}
