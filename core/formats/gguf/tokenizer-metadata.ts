import { formatErrors } from "../errors.js";
import type { GgufValue } from "./header.js";

/** The keys `tokenizer.ggml.*`, with their types checked. */
export class TokenizerMetadata {
  constructor(
    private readonly metadata: ReadonlyMap<string, GgufValue>,
    private readonly path: string,
  ) {}

  has(name: string): boolean {
    return this.metadata.has(`tokenizer.ggml.${name}`);
  }

  text(name: string): string | undefined {
    const value = this.metadata.get(`tokenizer.ggml.${name}`);
    if (value === undefined || typeof value === "string") return value;
    throw this.invalid(`tokenizer.ggml.${name} is not a text`);
  }

  flag(name: string, absent: boolean): boolean {
    const value = this.metadata.get(`tokenizer.ggml.${name}`) ?? absent;
    if (typeof value === "boolean") return value;
    throw this.invalid(`tokenizer.ggml.${name} is neither true nor false`);
  }

  texts(name: string): readonly string[] {
    const value = this.metadata.get(`tokenizer.ggml.${name}`);
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
    throw this.invalid(`tokenizer.ggml.${name} is not a list of texts`);
  }

  numbers(name: string): readonly number[] {
    const value = this.metadata.get(`tokenizer.ggml.${name}`);
    if (Array.isArray(value) && value.every((item) => typeof item === "number")) return value;
    throw this.invalid(`tokenizer.ggml.${name} is not a list of numbers`);
  }

  /** Id and text of a special token such as `bos`; undefined when the file names none, or one that it does not have. */
  special(name: string, tokens: readonly string[]): readonly [token: string, id: number] | undefined {
    const id = this.metadata.get(`tokenizer.ggml.${name}_token_id`);
    return typeof id === "number" && tokens[id] !== undefined ? [tokens[id], id] : undefined;
  }

  invalid(what: string): Error {
    return formatErrors.VERL_FORMATS_GGUF_INVALID({ what, where: this.path });
  }

  unsupported(what: string, why: string): Error {
    return formatErrors.VERL_FORMATS_TOKENIZER_UNSUPPORTED({ what, where: this.path, why });
  }
}
