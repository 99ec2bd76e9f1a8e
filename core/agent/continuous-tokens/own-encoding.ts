import type { ChatMessage } from "../../data/tokenizer.js";
import type { JsonValue } from "../../host/types.js";
import type { Suffix } from "./template-suffix.js";

/** Why messages cannot be appended to what the model saw. */
export interface Broken {
  readonly broken: string;
}

export interface EncodingOptions {
  readonly tools?: readonly JsonValue[];
  readonly kwargs?: Readonly<Record<string, unknown>>;
}

/** How a model's conversations are written where it comes without a chat template. */
export interface OwnEncoding {
  render(messages: readonly ChatMessage[], addGenerationPrompt: boolean): string;
  /** What is written after an assistant turn, its end excluded and the generation prompt included. */
  append(previous: readonly ChatMessage[], appended: readonly ChatMessage[]): Suffix | Broken;
}
