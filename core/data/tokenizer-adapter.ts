import type { TokenizerFiles } from "../formats/model.js";
import { ChatTemplate } from "./chat-template.js";
import { TokenizerPipeline } from "./tokenizer/pipeline.js";
import { SPECIAL_TOKENS, specialTokenText } from "./tokenizer/tokenizer-config.js";
import type { ChatMessage, ChatTemplateOptions, DecodeOptions, IncrementalDecoder, Tokenizer } from "./tokenizer.js";
import { tokenizerErrors } from "./tokenizer-errors.js";

export interface TokenizerAdapterOptions {
  readonly chatTemplate: string | null;
  readonly now?: () => Date;
  /** Where the files came from, for messages. */
  readonly where?: string;
}

/** A tokenizer made from Hugging Face's files. */
export class TokenizerAdapter implements Tokenizer {
  readonly vocabSize: number;
  readonly eosTokenId: number | null;
  readonly bosTokenId: number | null;
  readonly padTokenId: number;
  readonly stopTokenIds: readonly number[];

  private readonly pipeline: TokenizerPipeline;
  /** Texts of the special tokens, for templates. */
  private readonly specialTexts: Readonly<Record<string, string>>;
  private template: ChatTemplate | null = null;

  constructor(
    files: TokenizerFiles,
    private readonly options: TokenizerAdapterOptions,
  ) {
    const config = files.tokenizerConfig;
    this.pipeline = new TokenizerPipeline(files.tokenizerJson, config);
    this.vocabSize = this.pipeline.largestId + 1;
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
  }

  get hasChatTemplate(): boolean {
    return this.options.chatTemplate !== null;
  }

  encode(text: string, { addSpecialTokens = true } = {}): number[] {
    return this.pipeline.encode(text, addSpecialTokens);
  }

  decode(ids: ArrayLike<number>, options?: DecodeOptions): string {
    const decoder = this.incrementalDecoder(options);
    let text = "";
    for (let i = 0; i < ids.length; i++) text += decoder.push(ids[i]);
    return text + decoder.pending();
  }

  incrementalDecoder({ skipSpecialTokens = false }: DecodeOptions = {}): IncrementalDecoder {
    const stream = this.pipeline.decodingStream();
    return {
      push: (id) => {
        const token = this.pipeline.tokenForDecoding(id, skipSpecialTokens);
        return token === null ? "" : stream.push(token);
      },
      pending: () => stream.pending(),
    };
  }

  tokenText(id: number): string {
    return this.pipeline.tokenOf(id) ?? "";
  }

  tokenId(text: string): number | null {
    return this.pipeline.idOf(text) ?? null;
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
    const id = this.pipeline.idOf(text);
    if (id === undefined) throw this.invalid(`${name} is ${JSON.stringify(text)}, which is not in the vocabulary`);
    return id;
  }

  private invalid(what: string): Error {
    return tokenizerErrors.VERL_DATA_TOKENIZER_INVALID({ what, where: this.options.where });
  }
}

function tokenIds(value: unknown): number[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((id): id is number => Number.isInteger(id) && (id as number) >= 0);
}
