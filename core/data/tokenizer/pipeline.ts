import { shown } from "../../host/util/shown.js";
import { AddedTokenList } from "./added-tokens.js";
import { type AddedToken, AddedVocabulary } from "./added-vocabulary.js";
import { CLEAN_UP_SPACES } from "./decoders/clean-up.js";
import { DecodingStream } from "./decoders/decoding-stream.js";
import { FuseStage } from "./decoders/fuse.js";
import { readDecoder } from "./decoders/read-decoder.js";
import { LiteralReplaceStage } from "./decoders/replace.js";
import type { StageFactory } from "./decoders/stage.js";
import { JsonNode } from "./json-node.js";
import { Bpe } from "./models/bpe.js";
import type { Model } from "./models/model.js";
import { readModel } from "./models/read-model.js";
import { readNormalizer } from "./normalizers/read-normalizer.js";
import { type PostProcessor, readPostProcessor } from "./post-processor.js";
import type { PreTokenizer } from "./pre-tokenizers/pre-tokenizer.js";
import { readPreTokenizer } from "./pre-tokenizers/read-pre-tokenizer.js";
import { addNamedTokens, configureSteps } from "./tokenizer-config.js";

type Json = Readonly<Record<string, unknown>>;

/**
 * A `tokenizer.json`, executed as Rust's `tokenizers` 0.23 does: added tokens, normalizer, pre-tokenizer, model, post-processor;
 * and back by the decoder. Truncation, padding and dropout are not applied, as `transformers` does not by default.
 */
export class TokenizerPipeline {
  readonly model: Model;
  private readonly added: AddedVocabulary;
  private readonly preTokenizer: PreTokenizer | null;
  private readonly postProcessor: PostProcessor | null;
  private readonly stages: readonly StageFactory[];

  /**
   * @param json contents of `tokenizer.json`.
   * @param config contents of `tokenizer_config.json`, which may change steps and add tokens.
   */
  constructor(json: unknown, config: unknown = {}) {
    const settings = JsonNode.root(config, "tokenizer_config.json").object();
    JsonNode.root(json).object();
    const root = JsonNode.root(configureSteps(json as Json, config as Json));
    const version = root.at("version");
    if (!version.isNull && version.text() !== "1.0") {
      throw version.invalid(`the format's version is ${shown(version.value)}, and only "1.0" is known`);
    }
    this.model = readModel(root.at("model"));
    const normalizer = root.at("normalizer").or(null, readNormalizer);
    this.preTokenizer = root.at("pre_tokenizer").or(null, readPreTokenizer);
    this.added = new AddedVocabulary(readAddedTokens(root, settings, this.model), {
      normalizer,
      splitSpecialTokens: settings.at("split_special_tokens").or(false, (field) => field.boolean()),
    });
    this.postProcessor = root.at("post_processor").or(null, readPostProcessor);
    this.stages = [...readDecoder(root.at("decoder")), ...cleaningStages(settings, this.model)];
  }

  /** −1 for a tokenizer without tokens. */
  get largestId(): number {
    let largest = -1;
    for (const id of this.model.vocabulary.ids()) largest = Math.max(largest, id);
    for (const { id } of this.added.tokens) largest = Math.max(largest, id);
    return largest;
  }

  /** A lone surrogate, which is no character, counts as U+FFFD. */
  encode(text: string, addSpecialTokens: boolean): number[] {
    const ids: number[] = [];
    for (const found of this.added.extract(text.toWellFormed())) {
      if ("id" in found) ids.push(found.id);
      else for (const piece of this.preTokenizer?.split(found) ?? [found]) this.model.encode(piece.text, ids);
    }
    return this.postProcessor?.process([ids], addSpecialTokens).flat() ?? ids;
  }

  /** The text that decoding starts from; null for an id without token, or a special token that is to be left out. */
  tokenForDecoding(id: number, skipSpecialTokens: boolean): string | null {
    const token = this.added.textOf(id) ?? this.model.vocabulary.tokenOf(id);
    return token === undefined || (skipSpecialTokens && this.added.isSpecial(token)) ? null : token;
  }

  decodingStream(): DecodingStream {
    return new DecodingStream(this.stages);
  }

  idOf(token: string): number | undefined {
    return this.added.idOf(token) ?? this.model.vocabulary.idOf(token);
  }

  /** The token as the files write it. */
  tokenOf(id: number): string | undefined {
    return this.added.contentOf(id) ?? this.model.vocabulary.tokenOf(id);
  }
}

/** In the order of `transformers`, since it decides the ids. */
function readAddedTokens(root: JsonNode, settings: JsonNode, model: Model): AddedToken[] {
  const list = new AddedTokenList(model.vocabulary);
  if (!root.at("added_tokens").isNull) list.addAll(root.at("added_tokens"));
  if (!settings.at("added_tokens_decoder").isNull) list.addDecoder(settings.at("added_tokens_decoder"));
  addNamedTokens(list, settings);
  return list.tokens;
}

/** `clean_up_tokenization_spaces`, which `transformers` ignores for BPE. */
function cleaningStages(settings: JsonNode, model: Model): StageFactory[] {
  const cleans = settings.at("clean_up_tokenization_spaces").or(false, (field) => field.boolean());
  if (!cleans || model instanceof Bpe) return [];
  return [
    (next) => new FuseStage(next),
    ...CLEAN_UP_SPACES.map(
      ([from, to]): StageFactory =>
        (next) =>
          new LiteralReplaceStage(next, from, to),
    ),
  ];
}
