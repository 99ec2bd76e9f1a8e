import type { JsonValue } from "../host/types.js";

export interface ChatMessage {
  readonly role: string;
  readonly content: string | null | readonly ChatContentPart[];
  readonly [key: string]: unknown;
}
export type ChatContentPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: string; readonly [key: string]: unknown };

export interface ChatTemplateOptions {
  readonly tools?: readonly JsonValue[];
  readonly addGenerationPrompt?: boolean;
  /** Extra variables of the template (`enable_thinking`, …). */
  readonly kwargs?: Readonly<Record<string, unknown>>;
}

export interface DecodeOptions {
  /** Default false. */
  readonly skipSpecialTokens?: boolean;
}

/**
 * Decodes a sequence token by token: the texts joined, with what is pending at last, are what `decode` gives for the whole. A
 * text appears as soon as no further token can change it.
 */
export interface IncrementalDecoder {
  /** The text that is certain now and was not before. Never ends inside a character. */
  push(id: number): string;
  /** The text that would follow if no more tokens came, such as U+FFFD for the beginning of a character. Changes nothing. */
  pending(): string;
}

/** A tokenizer with its chat template. Pure: the same input gives the same ids. */
export interface Tokenizer {
  readonly vocabSize: number;
  readonly eosTokenId: number | null;
  readonly bosTokenId: number | null;
  /** Falls back to the end-of-sequence token; masks never depend on it. */
  readonly padTokenId: number;
  /** Every id that ends a turn: generation config's list, else the end-of-sequence token. */
  readonly stopTokenIds: readonly number[];
  readonly hasChatTemplate: boolean;
  encode(text: string, options?: { addSpecialTokens?: boolean }): number[];
  decode(ids: ArrayLike<number>, options?: DecodeOptions): string;
  incrementalDecoder(options?: DecodeOptions): IncrementalDecoder;
  /** The text of one token as it stands in the vocabulary, for reports. */
  tokenText(id: number): string;
  /** Id of a token text (special or not), or null. */
  tokenId(text: string): number | null;
  renderChat(messages: readonly ChatMessage[], options?: ChatTemplateOptions): string;
  /** `renderChat` then `encode` without adding special tokens again. */
  encodeChat(messages: readonly ChatMessage[], options?: ChatTemplateOptions): number[];
}
