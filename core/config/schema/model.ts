import { z } from "zod";
import { flag, key, natural, open, optionalText, positive, type Reference, section, strings } from "./key.js";

/** Names of modules, or a text that stands for several. */
const modules = () => z.union([z.string(), z.array(z.string())]);

/** The model of the actor or the critic. */
export const model = (path: Reference | null) =>
  section("The model.", {
    path: key(optionalText(), path, "Hugging Face folder, GGUF file, or `owner/name` on the Hugging Face Hub.", {
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
    lora_rank: key(natural(), 0, "Rank of a LoRA adapter, which is trained in place of the model; 0 = none."),
    lora_alpha: key(positive(), 16, "Its scale: what it adds is multiplied by lora_alpha / lora_rank."),
    use_rslora: key(flag(), false, "Divide lora_alpha by the root of the rank instead.", {
      differs: { why: "an option of PEFT that verl does not pass on" },
    }),
    target_modules: key(
      modules(),
      "all-linear",
      "Modules that get it: all-linear, a list of names such as [q_proj, v_proj], or a regular expression for full names.",
    ),
    exclude_modules: key(modules().nullable(), null, "Modules left out of target_modules, named in the same ways."),
    lora_adapter_path: key(optionalText(), null, "Folder of an adapter in PEFT's layout to begin with.", {
      file: true,
    }),
  });
