import { defineErrors } from "../host/errors.js";

/** Codes of tokenizers and chat templates. */
export const tokenizerErrors = defineErrors({
  VERL_DATA_TOKENIZER_MISSING: {
    summary: "The model has no tokenizer.",
    fix: "add tokenizer.json to the model's folder or set actor_rollout_ref.model.tokenizer_path",
  },
  VERL_DATA_TOKENIZER_INVALID: {
    summary: "A tokenizer's files contradict each other or cannot be used.",
    fix: "download the tokenizer again; check tokenizer.json and tokenizer_config.json",
  },
  VERL_DATA_TEXT_NOT_ENCODABLE: {
    summary: "A text holds a character that the tokenizer has no token for.",
    fix: "remove the character or use a tokenizer whose vocabulary has it",
  },
  VERL_DATA_JSON_INVALID: {
    summary: "A text that should be JSON is not.",
    fix: "correct the text at the named place",
  },
  VERL_DATA_JSON_UNWRITABLE: {
    summary: "A value cannot be written as JSON: it holds something that JSON has no form for, or lies inside itself.",
    fix: "pass texts, numbers, switches, lists and objects only",
  },
  VERL_DATA_CHAT_TEMPLATE_MISSING: {
    summary: "Messages were to be rendered, but the tokenizer has no chat template.",
    fix: "set actor_rollout_ref.model.custom_chat_template to a Jinja template, or use an instruction-tuned model",
  },
  VERL_DATA_CHAT_TEMPLATE_INVALID: {
    summary: "A chat template cannot be parsed.",
    fix: "correct the template or override it with actor_rollout_ref.model.custom_chat_template",
  },
  VERL_DATA_CHAT_TEMPLATE_FAILED: {
    summary: "A chat template failed on these messages.",
    fix: "check that the messages have the roles and fields that the template reads",
  },
  VERL_DATA_CHAT_TEMPLATE_REFUSED: {
    summary: "The chat template itself refused these messages (raise_exception).",
    fix: "change the messages as the template's text asks",
  },
  VERL_DATA_TOOL_ARGUMENTS: {
    summary: "The arguments of a tool call are no JSON object, and the chat template cannot write them.",
    fix: "correct the arguments, or answer the call with an error message instead of keeping it in the history",
  },
});
