import { shown } from "../../host/util/shown.js";
import { ConfigReader, type JsonObject } from "../config-reader.js";
import { formatErrors } from "../errors.js";
import type { HeadKind, ModelConfig } from "../model.js";
import type { LoraShape } from "./lora.js";
import { describeModules } from "./target-modules.js";

/** What `adapter_config.json` says beside the modules, which the tensors' names tell. */
export interface AdapterSettings extends Pick<LoraShape, "rank" | "alpha" | "rslora"> {
  /** Dropout in training; nothing when the adapter is only read. */
  readonly dropout: number;
}

const TASKS: Readonly<Record<HeadKind, string>> = {
  languageModel: "CAUSAL_LM",
  values: "TOKEN_CLS",
  scores: "SEQ_CLS",
};

/** Keys of kinds of adapters that compute something else, with the values that mean the plain kind. */
const PLAIN_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  alora_invocation_tokens: [],
  alpha_pattern: [],
  arrow_config: [],
  bias: ["none"],
  corda_config: [],
  eva_config: [],
  init_lora_weights: [true, "gaussian", "orthogonal"],
  kasa_config: [],
  layer_replication: [],
  loftq_config: [],
  lora_bias: [],
  lora_ga_config: [],
  monteclora_config: [],
  rank_pattern: [],
  target_parameters: [],
  trainable_token_indices: [],
  use_bdlora: [],
  use_dora: [],
  use_qalora: [],
  velora_config: [],
};

/** Read PEFT's configuration of an adapter; anything but plain LoRA is refused by name. */
export function readAdapterConfig(raw: JsonObject, where: string): AdapterSettings {
  const config = new ConfigReader(raw, where);
  const type = config.value("peft_type");
  if (type !== "LORA") throw unsupported("peft_type", type, where);
  for (const [key, plain] of Object.entries(PLAIN_VALUES)) {
    const value = raw[key];
    if (!isNothing(value) && !plain.includes(value)) throw unsupported(key, value, where);
  }
  const dropout = config.value("lora_dropout") ?? 0;
  if (typeof dropout !== "number" || !(dropout >= 0 && dropout < 1)) {
    throw config.wrong("lora_dropout", dropout, "a number from 0 to 1");
  }
  return {
    rank: config.count("r"),
    alpha: config.positive("lora_alpha"),
    rslora: config.flag("use_rslora", false),
    dropout,
  };
}

/** The content of `adapter_config.json`. `base` is the model's path or name. */
export function adapterConfigJson(config: ModelConfig, shape: LoraShape, base: string | null): Record<string, unknown> {
  return {
    peft_type: "LORA",
    task_type: TASKS[config.head],
    base_model_name_or_path: base,
    inference_mode: true,
    r: shape.rank,
    lora_alpha: shape.alpha,
    lora_dropout: 0,
    use_rslora: shape.rslora,
    target_modules: describeModules(config, shape.modules),
    modules_to_save: config.head === "languageModel" ? null : ["classifier", "score"],
    fan_in_fan_out: config.transposedWeights,
    bias: "none",
    init_lora_weights: true,
  };
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function unsupported(key: string, value: unknown, where: string): Error {
  return formatErrors.VERL_FORMATS_ADAPTER_UNSUPPORTED({
    what: `this adapter has ${key} ${shown(value ?? null)}, which is not supported`,
    where,
  });
}
