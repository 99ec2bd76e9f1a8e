import { defineErrors } from "../host/errors.js";

export const dataErrors = defineErrors({
  VERL_DATA_FILE_NOT_FOUND: {
    summary: "A data file does not exist or cannot be read.",
    fix: "Check the key or the option that names it; relative paths start at the working directory.",
  },
  VERL_DATA_FORMAT: {
    summary: "A data file is of an unknown format, or is not what its name says.",
    fix: "Use .jsonl, .json or .parquet files.",
  },
  VERL_DATA_BAD_ROW: {
    summary: "A row of a data file cannot be used.",
    fix: "Correct or remove the rows that are named.",
  },
  VERL_DATA_NO_PROMPT_COLUMN: {
    summary: "Rows lack the column with the prompt.",
    fix: "Set data.prompt_key to the column that holds the messages.",
  },
  VERL_DATA_NO_SOURCE: {
    summary: "Rows lack the column that names their data source, by which a scorer is picked.",
    fix: "Add the column, set data.reward_fn_key to the one that you have, or score with custom_reward_function.",
  },
  VERL_DATA_EMPTY: {
    summary: "A data set has no rows, or none is left.",
    fix: "Check the files, data.max_prompt_length and the filters.",
  },
  VERL_DATA_TOO_SMALL: {
    summary: "The training data does not fill a single batch.",
  },
  VERL_DATA_PROMPT_TOO_LONG: {
    summary: "Prompts are longer than data.max_prompt_length.",
    fix: "Raise data.max_prompt_length, leave such rows out with data.filter_overlong_prompts=true, or have them cut with data.truncation=left.",
  },
  VERL_DATA_TEMPLATE: {
    summary: "The chat template could not render a prompt.",
    fix: "Check the messages of the row against what the model's template expects, and data.apply_chat_template_kwargs.",
  },
  VERL_DATA_MEDIA: {
    summary: "An image, a video or a sound cannot be used.",
    fix: "Correct what is named; give media as files beside the data, as bytes, base64 or data URLs.",
  },
  VERL_DATA_MEDIA_MARKS: {
    summary: "The placeholders that the chat template wrote and the media of the messages do not belong together.",
    fix: "Use the model's own chat template, with a processor that names its placeholders, and keep the placeholder's text out of messages.",
  },
  VERL_DATA_NO_PROCESSOR: {
    summary: "Messages hold media that the model does not understand here.",
    fix: "Use text alone, or a plugin that registers a processor for the model (docs/Guide/media.md), with an engine and a rollout that take media.",
  },
  VERL_DATA_STATE_MISMATCH: {
    summary: "The data position of a checkpoint does not fit the data set.",
    fix: "Resume with the files and filters of the run that wrote the checkpoint.",
  },
  VERL_DATA_SAMPLER: {
    summary: "A sampler drew a row that the data set does not have, or failed.",
    fix: "`next()` must give whole numbers from 0 to `dataset.length - 1`; `samplerConformance` of verl-ts/testing tells what else.",
  },
  VERL_BATCH_MISMATCH: {
    summary: "Parts of a batch do not fit together: lengths, names, values or meta differ.",
    fix: "Give every tensor and column the same first dimension, and merge only batches that agree.",
  },
  VERL_BATCH_UNKNOWN_COLUMN: {
    summary: "A batch was asked for a column or key that it does not have.",
  },
  VERL_BATCH_INDEX: {
    summary: "An index, count or size does not fit the batch.",
  },
});
