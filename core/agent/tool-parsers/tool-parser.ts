import type { JsonValue } from "../../host/types.js";

/** One call that a model's text asks for. */
export interface ToolCall {
  readonly name: string;
  /**
   * One JSON value, usually an object. Where the text carried JSON this is that text, character for character, so numbers
   * keep every digit; formats that carry tags instead are written as `{"key": value, …}`.
   */
  readonly arguments: string;
  /** The call id that the text carried. */
  readonly id?: string;
}

/** Text that was meant as a call and cannot be read as one. */
export interface MalformedCall {
  /** Position among all calls of the text, well-formed or not, from 0. */
  readonly index: number;
  /** The tool, when the text says which one. */
  readonly name: string | null;
  /** What is wrong, naming the tool: fit to be answered to the model. */
  readonly message: string;
  /** The text of the call. */
  readonly text: string;
}

/**
 * What a stream gives, in the order of the text. Nothing is taken back. A thought that is empty is one `reasoning` event
 * with empty text.
 */
export type ToolParserEvent =
  | { readonly type: "content" | "reasoning"; readonly text: string }
  | { readonly type: "call"; readonly call: ToolCall }
  | { readonly type: "malformed"; readonly error: MalformedCall };

/**
 * Reads one assistant turn piece by piece. However the text is cut, down to single UTF-16 units, the joined events are the
 * same; no text makes it throw; and the time is linear in the text.
 */
export interface ToolParserStream {
  /** Everything that has become certain. Throws `VERL_AGENT_PARSER_ENDED` after `end`. */
  push(text: string): readonly ToolParserEvent[];
  /** The text is complete: what was still held back. Nothing when called again. */
  end(): readonly ToolParserEvent[];
}

export interface ToolParserOptions {
  /** OpenAI function tools, for formats that need them to type a value or to find a name. Other tools may be called as well. */
  readonly tools?: readonly JsonValue[];
  /** Text of the padding token, which a parser may leave out of the content. */
  readonly padToken?: string;
  /** Text of the end token, likewise. */
  readonly eosToken?: string;
  /** True if the prompt has opened a think block, so that the turn begins inside it. */
  readonly startsInThought?: boolean;
}

/** A format of tool calls. Registered; `rollout.multi_turn.format` names it. */
export interface ToolParser {
  readonly name: string;
  /** Texts of the tokens at which a turn with calls ends, beside the tokenizer's end token. */
  readonly stopTokens: readonly string[];
  /** A stream for one turn. */
  create(options?: ToolParserOptions): ToolParserStream;
}

/** A whole turn. */
export interface ParsedTurn {
  readonly content: string;
  /** Null when the text holds no thought. */
  readonly reasoning: string | null;
  readonly calls: readonly ToolCall[];
  readonly errors: readonly MalformedCall[];
}
