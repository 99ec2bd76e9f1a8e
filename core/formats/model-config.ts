import { dirname, join } from "node:path";
import { shown } from "../host/util/shown.js";
import { ConfigReader, type JsonObject } from "./config-reader.js";
import { formatErrors } from "./errors.js";
import { familyOf, familyOfClass, MODEL_FAMILIES } from "./families/index.js";
import { GUARDED, refuseUnreadFeatures } from "./guarded-features.js";
import { refuseUnknownMembers } from "./known-members.js";
import type { HeadKind, ModelConfig } from "./model.js";

export interface ParseModelConfigOptions {
  /** `generation_config.json`; its token ids win over those of the configuration. */
  readonly generationConfig?: JsonObject;
  /** The file that the values come from, for messages. */
  readonly where?: string;
  /** What the model is to compute; default: next-token logits. */
  readonly head?: HeadKind;
  /** Somebody wrote it by hand: members that there are not are mistakes. */
  readonly handwritten?: boolean;
}

/**
 * The architecture from the content of a Hugging Face `config.json`, with the defaults of `transformers`. A feature that
 * would change the model's numbers and is missing here is refused by name, never ignored.
 */
export function parseModelConfig(raw: JsonObject, options: ParseModelConfigOptions = {}): ModelConfig {
  const { generationConfig = {}, where, head = "languageModel", handwritten = false } = options;
  const config = new ConfigReader(raw, where);
  const modelType = config.value("model_type");
  const family = modelType === undefined ? familyOfClass(classNameOf(raw)) : familyOf(modelType);
  if (!family)
    throw config.unsupported(
      "model_type",
      modelType,
      MODEL_FAMILIES.map((known) => known.modelType),
    );
  // Its head says something of every token, and its bias is none of a score's.
  if (head === "scores" && classNameOf(raw).endsWith("ForTokenClassification"))
    throw config.unsupported(
      "architectures",
      raw.architectures,
      [family.classes.scores].filter((name) => name !== null),
    );
  const architecture = family.read(config);
  const vocabSize = config.count("vocab_size");
  const headSize = head === "languageModel" ? vocabSize : head === "values" ? 1 : labelCount(config);
  const headBias = head === "values" && config.flag("token_classification_bias", true);
  refuseUnreadFeatures(config);
  if (handwritten) refuseUnknownMembers(config, GUARDED);

  const beside = where === undefined ? undefined : join(dirname(where), "generation_config.json");
  const tokenIds = (key: string) =>
    tokenIdList(generationConfig[key], vocabSize, () => wrongBeside(key, generationConfig[key], beside)) ??
    tokenIdList(raw[key], vocabSize, () => config.wrong(key, raw[key], TOKEN_IDS)) ??
    [];
  return {
    modelType: family.modelType,
    vocabSize,
    ...architecture,
    head,
    headSize,
    headBias,
    bosTokenId: tokenIds("bos_token_id")[0] ?? null,
    eosTokenIds: tokenIds("eos_token_id"),
    padTokenId: tokenIds("pad_token_id")[0] ?? null,
    raw: config.completed(),
  };
}

/** `transformers` leaves its default of two labels out of `config.json`; a head that is new has one. */
function labelCount(config: ConfigReader): number {
  const named = config.value("id2label");
  if (typeof named === "object" && named !== null) return Object.keys(named).length;
  const isClassifier = classNameOf(config.raw).endsWith("ForSequenceClassification");
  return config.count("num_labels", isClassifier ? 2 : 1);
}

function classNameOf({ architectures }: JsonObject): string {
  return Array.isArray(architectures) ? String(architectures[0]) : "";
}

/** Null, one id, or a list of ids. Ids outside the vocabulary (some files say -1) are dropped: they are never produced. */
function tokenIdList(value: unknown, vocabSize: number, wrong: () => Error): number[] | null {
  if (value === null || value === undefined) return null;
  const ids: unknown[] = Array.isArray(value) ? value : [value];
  if (!ids.every((id) => Number.isInteger(id))) throw wrong();
  return [...new Set(ids as number[])].filter((id) => id >= 0 && id < vocabSize);
}

const TOKEN_IDS = "token ids";

/** Of `generation_config.json`, which goes before `config.json`. */
function wrongBeside(key: string, value: unknown, where: string | undefined): Error {
  const what = `${key} is ${shown(value)}, expected ${TOKEN_IDS}`;
  return formatErrors.VERL_FORMATS_CONFIG_INVALID({ what, where, fix: `correct ${key} in generation_config.json` });
}
