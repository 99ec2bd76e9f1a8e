import { Tokenizer as HfTokenizer } from "@huggingface/tokenizers";
import type { TokenizerFiles } from "../formats/model.js";
import { reasonOf } from "../host/errors.js";
import { bytesOfToken, coversAllBytes, decodeBytes } from "./byte-level-decoder.js";
import { ChatTemplate } from "./chat-template.js";
import type { ChatMessage, ChatTemplateOptions, Tokenizer } from "./tokenizer.js";
import { tokenizerErrors } from "./tokenizer-errors.js";
import { prepareTokenizerJson, specialTokenText } from "./tokenizer-json.js";

export interface TokenizerAdapterOptions {
  readonly chatTemplate: string | null;
  readonly now?: () => Date;
  /** Where the files came from, for messages. */
  readonly where?: string;
}

const SPECIAL_TOKENS = ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"];

/** A tokenizer made from Hugging Face's files. */
export class TokenizerAdapter implements Tokenizer {
  readonly vocabSize: number;
  readonly eosTokenId: number | null;
  readonly bosTokenId: number | null;
  readonly padTokenId: number;
  readonly stopTokenIds: readonly number[];

  private readonly inner: HfTokenizer;
  /** Token texts by id; holes are undefined. */
  private readonly texts: (string | undefined)[] = [];
  /** Bytes of tokens that were decoded before, for byte-level vocabularies. */
  private readonly bytes: Uint8Array[] = [];
  private readonly specialIds: ReadonlySet<number>;
  /** Texts of the special tokens, for templates. */
  private readonly specialTexts: Readonly<Record<string, string>>;
  private readonly byteLevel: boolean;
  /** Characters with tokens, for vocabularies that do not cover every text; null for those that do. */
  private readonly alphabet: ReadonlySet<string> | null;
  private readonly addedPattern: RegExp | null;
  private template: ChatTemplate | null = null;

  constructor(
    files: TokenizerFiles,
    private readonly options: TokenizerAdapterOptions,
  ) {
    const config = files.tokenizerConfig;
    try {
      const json = prepareTokenizerJson(files.tokenizerJson, config);
      this.inner = new HfTokenizer(json, { ...config, clean_up_tokenization_spaces: false });
    } catch (cause) {
      throw this.invalid(`the tokenizer cannot be built: ${reasonOf(cause)}`, cause);
    }
    const added = [...this.inner.get_added_tokens_decoder().values()];
    for (const [text, id] of this.inner.get_vocab(true)) if (text !== undefined) this.texts[id] = text;
    for (const { id, content } of added) this.texts[id] = content;
    this.vocabSize = this.texts.length;

    this.specialTexts = Object.fromEntries(
      SPECIAL_TOKENS.flatMap((name) => {
        const text = specialTokenText(config[name]);
        return text === null ? [] : [[name, text]];
      }),
    );
    const declared = (name: string) => this.declaredId(name);
    const stops = tokenIds(files.generationConfig.eos_token_id);
    this.eosTokenId = declared("eos_token") ?? stops[0] ?? null;
    this.bosTokenId = declared("bos_token") ?? tokenIds(files.generationConfig.bos_token_id)[0] ?? null;
    this.padTokenId = declared("pad_token") ?? this.eosTokenId ?? 0;
    this.stopTokenIds = stops.length > 0 ? stops : this.eosTokenId === null ? [] : [this.eosTokenId];
    this.specialIds = new Set(added.filter(({ special }) => special).map(({ id }) => id));

    const decoder = files.tokenizerJson.decoder as { type?: unknown } | null | undefined;
    this.byteLevel = decoder?.type === "ByteLevel";
    this.alphabet = this.byteLevel ? null : limitedAlphabet(files.tokenizerJson.model);
    this.addedPattern = alternatives(added.map(({ content }) => content));
  }

  get hasChatTemplate(): boolean {
    return this.options.chatTemplate !== null;
  }

  encode(text: string, { addSpecialTokens = true } = {}): number[] {
    if (text === "" && !addSpecialTokens) return [];
    if (this.alphabet) this.checkEncodable(text, this.alphabet);
    return this.inner.encode(text, { add_special_tokens: addSpecialTokens }).ids;
  }

  decode(ids: ArrayLike<number>, { skipSpecialTokens = false } = {}): string {
    const kept = Array.from(ids).filter(
      (id) => this.texts[id] !== undefined && !(skipSpecialTokens && this.specialIds.has(id)),
    );
    if (kept.length === 0) return "";
    if (this.byteLevel) return decodeBytes(kept.map((id) => this.bytesOf(id)));
    return this.inner.decode(kept, { skip_special_tokens: false });
  }

  tokenText(id: number): string {
    return this.texts[id] ?? "";
  }

  tokenId(text: string): number | null {
    return this.inner.token_to_id(text) ?? null;
  }

  renderChat(messages: readonly ChatMessage[], options: ChatTemplateOptions = {}): string {
    const { tools = null, addGenerationPrompt = false, kwargs } = options;
    return this.chatTemplate().render({
      ...this.specialTexts,
      messages,
      tools,
      documents: null,
      add_generation_prompt: addGenerationPrompt,
      ...kwargs,
    });
  }

  encodeChat(messages: readonly ChatMessage[], options?: ChatTemplateOptions): number[] {
    return this.encode(this.renderChat(messages, options), { addSpecialTokens: false });
  }

  private bytesOf(id: number): Uint8Array {
    this.bytes[id] ??= bytesOfToken(this.texts[id] as string);
    return this.bytes[id];
  }

  private chatTemplate(): ChatTemplate {
    const { chatTemplate, now, where } = this.options;
    if (chatTemplate === null) {
      throw tokenizerErrors.VERL_DATA_CHAT_TEMPLATE_MISSING({ what: "this tokenizer has no chat template", where });
    }
    this.template ??= new ChatTemplate(chatTemplate, now);
    return this.template;
  }

  /** Id of a special token that the configuration names; naming one that does not exist is an error. */
  private declaredId(name: string): number | null {
    const text = this.specialTexts[name];
    if (text === undefined) return null;
    const id = this.inner.token_to_id(text);
    if (id === undefined) throw this.invalid(`${name} is ${JSON.stringify(text)}, which is not in the vocabulary`);
    return id;
  }

  /** The library, like Python's, drops characters that a vocabulary without unknown token does not have. */
  private checkEncodable(text: string, alphabet: ReadonlySet<string>): void {
    const plain = this.addedPattern ? text.replace(this.addedPattern, "") : text;
    for (const character of plain) {
      if (alphabet.has(character)) continue;
      throw tokenizerErrors.VERL_DATA_TEXT_NOT_ENCODABLE({
        what: `the tokenizer has no token for ${JSON.stringify(character)}`,
        where: JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text),
      });
    }
  }

  private invalid(what: string, cause?: unknown): Error {
    return tokenizerErrors.VERL_DATA_TOKENIZER_INVALID({ what, where: this.options.where, cause });
  }
}

function tokenIds(value: unknown): number[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((id): id is number => Number.isInteger(id) && (id as number) >= 0);
}

/** Single characters of a BPE vocabulary that has neither an unknown token nor byte tokens. */
function limitedAlphabet(model: unknown): ReadonlySet<string> | null {
  const { type, vocab, unk_token: unknown, byte_fallback: byteFallback } = model as Record<string, unknown>;
  if (type !== "BPE" || (unknown !== null && unknown !== undefined) || byteFallback === true) return null;
  const tokens = Object.keys(vocab as object);
  const set = new Set(tokens);
  if (coversAllBytes((token) => set.has(token))) return null;
  return new Set(tokens.filter((token) => [...token].length === 1));
}

function alternatives(texts: readonly string[]): RegExp | null {
  if (texts.length === 0) return null;
  const longestFirst = [...texts].sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|"), "gu");
}
