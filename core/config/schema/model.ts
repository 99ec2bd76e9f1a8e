import { z } from "zod";
import { key, open, optionalText, type Reference, section, strings } from "./key.js";

/** The model of the actor or the critic. */
export const model = (path: Reference | null) =>
  section("The model.", {
    path: key(optionalText(), path, "Hugging Face folder or GGUF file.", {
      file: true,
      differs: {
        verl: "~/models/deepseek-llm-7b-chat",
        why: path ? "a critic starts from the actor's model" : "no model is assumed",
      },
    }),
    config: key(
      z.record(z.string(), z.unknown()).nullable(),
      null,
      "In place of `path`: the content of a config.json, for a model with random weights.",
      { differs: { why: "small models are trained from nothing" } },
    ),
    tokenizer_path: key(optionalText(), null, "Folder or GGUF file of the tokenizer; null = the model's.", {
      file: true,
    }),
    custom_chat_template: key(optionalText(), null, "Jinja template that replaces the tokenizer's."),
    external_lib: key(strings().nullable(), null, "Modules loaded as plugins before the model is built.", {
      file: true,
    }),
    override_config: open("Values that replace those of the model's config.json."),
  });
