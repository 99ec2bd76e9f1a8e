import { defineErrors } from "../host/errors.js";

/** Codes of model files: what cannot be opened, read, or written. */
export const formatErrors = defineErrors({
  VERL_FORMATS_NOT_A_MODEL: {
    summary: "The path is neither a Hugging Face model folder nor a GGUF file.",
    fix: "point at a folder with config.json and model.safetensors, or at a .gguf file; a model of the Hugging Face Hub is OWNER/NAME",
  },
  VERL_FORMATS_FILE_UNREADABLE: {
    summary: "A model file could not be read.",
    fix: "check that the file exists, is complete and may be read; download it again if in doubt",
  },
  VERL_FORMATS_JSON_INVALID: {
    summary: "A JSON file of a model is not valid or does not have the expected form.",
    fix: "download the file again or correct it by hand",
  },
  VERL_FORMATS_SAFETENSORS_INVALID: {
    summary: "A safetensors file is damaged or contradicts itself.",
    fix: "download the file again",
  },
  VERL_FORMATS_GGUF_INVALID: {
    summary: "A GGUF file is damaged, cut off, or contradicts itself.",
    fix: "download the file again",
  },
  VERL_FORMATS_CONFIG_INVALID: {
    summary: "A model configuration lacks a value or holds an impossible one.",
    fix: "correct config.json",
  },
  VERL_FORMATS_MODEL_UNSUPPORTED: {
    summary: "The model's architecture, or a feature of it, is not supported.",
    fix: "use a model of a family and with features that docs/Guide/models.md lists",
  },
  VERL_FORMATS_DTYPE_UNSUPPORTED: {
    summary: "A tensor is stored in a type that cannot be read or written as numbers here.",
    fix: "convert the model to F32, F16 or BF16 (or to one of the supported GGUF quantisations)",
  },
  VERL_FORMATS_TENSOR_MISSING: {
    summary: "A tensor that the architecture needs is not in the model's files.",
    fix: "check that all shards are there and that config.json belongs to these weights",
  },
  VERL_FORMATS_TENSOR_SHAPE: {
    summary: "A tensor does not have the shape that the architecture needs.",
    fix: "check that config.json belongs to these weights",
  },
  VERL_FORMATS_TENSOR_UNEXPECTED: {
    summary: "The files hold a weight that the architecture in config.json does not have.",
    fix: "check that config.json belongs to these weights",
  },
  VERL_FORMATS_NOT_FINITE: {
    summary: "A weight is NaN or infinite.",
    fix: "download or convert the model again; if the values are meant, set the engine's option allowNonFinite",
  },
  VERL_FORMATS_OUT_OF_RANGE: {
    summary: "A weight is too large for the type in which it is to be written.",
    fix: "export in bf16 or f32",
  },
  VERL_FORMATS_TOKENIZER_UNSUPPORTED: {
    summary: "The tokenizer of a GGUF file or a SentencePiece model is of a kind that cannot be rebuilt here.",
    fix: "use a Hugging Face folder of the same model, which carries tokenizer.json",
  },
  VERL_FORMATS_ADAPTER_INVALID: {
    summary: "An adapter's files are incomplete or belong to another model.",
    fix: "check that the adapter was trained on this model, and that its folder is complete",
  },
  VERL_FORMATS_ADAPTER_UNSUPPORTED: {
    summary: "An adapter is of a kind, or has a feature, that is not supported.",
    fix: "use plain LoRA on the linear maps of the layers, or merge the adapter into the model with PEFT (merge_and_unload)",
  },
  VERL_FORMATS_ADAPTER_TARGETS: {
    summary: "The modules named for an adapter are not ones that can have it.",
    fix: "name linear maps of the model's layers, e.g. target_modules=all-linear or [q_proj, v_proj]",
  },
  VERL_FORMATS_HUB_NOT_FOUND: {
    summary: "A model was named that is neither a folder nor a repository of the Hugging Face Hub.",
    fix: "check the name; a private model needs a token in HF_TOKEN",
  },
  VERL_FORMATS_HUB_NO_ACCESS: {
    summary: "The Hugging Face Hub gives no access to a model.",
    fix: "accept the model's terms on its page, and put a token of that account into HF_TOKEN",
  },
  VERL_FORMATS_HUB_UNREACHABLE: {
    summary: "The Hugging Face Hub, or the mirror in HF_ENDPOINT, could not be reached.",
    fix: "run again to continue, set HF_ENDPOINT to a mirror, or download the model by hand and name its folder",
  },
  VERL_FORMATS_HUB_DAMAGED: {
    summary: "A downloaded file is not what the Hugging Face Hub says that it is.",
    fix: "run again; if it stays so, the server or something on the way to it is at fault",
  },
  VERL_FORMATS_HUB_CACHE: {
    summary: "The folder for models of the Hugging Face Hub cannot be written.",
    fix: "free disk space, or set HF_HUB_CACHE to another folder",
  },
  VERL_FORMATS_STREAM_MISMATCH: {
    summary: "Tensors handed over for writing do not match the announced names and shapes.",
    fix: "announce exactly the tensors that the stream yields, each once",
  },
});
