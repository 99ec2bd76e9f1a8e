import { z } from "zod";
import {
  count,
  flag,
  follows,
  key,
  open,
  optionalCount,
  optionalText,
  section,
  strings,
  text,
  userExport,
} from "./key.js";
import { MAX_TOKENS, MAX_TRAJECTORIES } from "./most.js";

const example = "paths of an example dataset are no default";
const maxSamples = () => z.int().min(-1);

export const data = section("Datasets and how prompts are drawn from them.", {
  train_files: key(strings(), [], "Training data: .parquet, .jsonl or .json, one path or a list.", {
    file: true,
    differs: { verl: "~/data/rlhf/gsm8k/train.parquet", why: example },
  }),
  val_files: key(strings(), [], "Validation data, likewise.", {
    file: true,
    differs: { verl: "~/data/rlhf/gsm8k/test.parquet", why: example },
  }),
  train_max_samples: key(maxSamples(), -1, "Use at most so many training rows; -1 = all.", { unit: "rows" }),
  val_max_samples: key(maxSamples(), -1, "Use at most so many validation rows; -1 = all.", { unit: "rows" }),
  train_batch_size: key(count(MAX_TRAJECTORIES), 64, "Prompts per step.", {
    guarded: true,
    unit: "prompts",
    differs: { verl: 1024, why: "sized for one machine" },
  }),
  gen_batch_size: key(
    optionalCount(MAX_TRAJECTORIES),
    null,
    "Prompts handed to the rollout at a time; null = `train_batch_size`.",
    {
      guarded: true,
      unit: "prompts",
    },
  ),
  val_batch_size: key(optionalCount(MAX_TRAJECTORIES), null, "Validation prompts in flight; null = the whole set.", {
    guarded: true,
    unit: "prompts",
  }),
  max_prompt_length: key(count(MAX_TOKENS), 512, "Longest prompt after the chat template.", {
    unit: "tokens",
    guarded: true,
  }),
  max_response_length: key(count(MAX_TOKENS), 512, "Longest response, tool outputs included.", {
    unit: "tokens",
    guarded: true,
  }),
  prompt_key: key(text(), "prompt", "Column with the chat messages."),
  reward_fn_key: key(text(), "data_source", "Column that names the data source; picks the scorer."),
  image_key: key(text(), "images", "Column with images, which take the places of the marks `<image>` in messages."),
  video_key: key(text(), "videos", "Column with videos, likewise."),
  audio_key: key(text(), "audios", "Column with audio, likewise."),
  media_root: key(
    optionalText(),
    null,
    "Folder that paths of media start at and may not leave; null = that of the data file.",
    { file: true, differs: { why: "verl reads whatever file a row names, and fetches addresses" } },
  ),
  processor: key(optionalText(), null, "Processor of media, by registered name; null = the one for the model's type.", {
    registry: "processors",
    differs: { why: "verl's processors come with the model" },
  }),
  mm_processor_kwargs: open(
    "Options of the model's processor, e.g. {max_pixels: 401408}, in sampling and in training.",
  ),
  shuffle: key(flag(), true, "Draw training rows in random order, a new one each pass."),
  seed: key(z.int().min(0).nullable(), follows("trainer.seed"), "Seed of the data order; null = random.", {
    differs: { verl: null, why: "a run is reproducible unless asked otherwise" },
  }),
  validation_shuffle: key(flag(), false, "Shuffle validation rows."),
  filter_overlong_prompts: key(flag(), false, "Leave out rows whose prompt is longer than `max_prompt_length`."),
  truncation: key(
    z.enum(["error", "left", "right", "middle"]),
    "error",
    "What happens to a prompt that is still too long: an error, or which side is cut.",
  ),
  tool_config_path: key(
    optionalText(),
    follows("actor_rollout_ref.rollout.multi_turn.tool_config_path"),
    "verl's tools for the length of prompts; here those that the rollout shows count.",
    { file: true },
  ),
  function_tool_path: key(
    optionalText(),
    follows("actor_rollout_ref.rollout.multi_turn.function_tool_path"),
    "Function tools, likewise.",
    { file: true },
  ),
  apply_chat_template_kwargs: open("Variables for the chat template, e.g. {enable_thinking: false}."),
  dataset: key(text(), "rlhf", "Data set, by registered name; `custom_cls` takes its place.", {
    registry: "datasets",
    differs: { why: "verl's data sets come from files alone; here plugins bring them as well" },
  }),
  custom_cls: userExport("A dataset", null),
  sampler: section("Who decides which training row comes next.", {
    name: key(optionalText(), null, "Sampler, by registered name; null = `random` or `sequential`, by `shuffle`.", {
      registry: "samplers",
      differs: { why: "verl's samplers come from files alone; here plugins bring them as well" },
    }),
    class_path: key(optionalText(), null, "File with a sampler of one's own, `file:` URL or package.", { file: true }),
    class_name: key(optionalText(), null, "Name of the export."),
    kwargs: open("Handed to the sampler.", { differs: { why: "samplers here have options of their own" } }),
  }),
});
