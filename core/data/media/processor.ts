import type { Awaitable, CallOptions } from "../../host/types.js";
import type { Tokenizer } from "../tokenizer.js";
import type { MediaKind, MediaRef, PlacedMedia } from "./media.js";

/** Numbers of an engine's input, row-major. */
export interface MediaTensor {
  readonly shape: readonly number[];
  readonly data: Float32Array | Int32Array;
}

/** What a model computes from in place of the tokens of one medium, under the model's names: `pixel_values`, `image_grid_thw`. */
export type MediaInputs = Readonly<Record<string, MediaTensor>>;

/** A sequence of tokens with its media. */
export interface MediaSequence {
  readonly ids: ArrayLike<number>;
  readonly media: readonly (PlacedMedia & { readonly inputs: MediaInputs })[];
}

/**
 * What a model makes of media: tokens for its prompts, numbers for its engine. Pure: the same medium gives the same, in sampling as
 * in training and in every process.
 */
export interface MediaProcessor {
  /**
   * The token that the model's chat template writes for a medium of each kind, such as `<|image_pad|>`. Kinds that are left out
   * are refused.
   */
  readonly placeholders: Readonly<Partial<Record<MediaKind, string>>>;
  /**
   * The ids that take the place of the placeholder in a prompt, one at least: usually the placeholder itself as often as the model
   * has embeddings for the medium, and what frames it where the template does not write that.
   */
  tokens(media: MediaRef, bytes: Uint8Array, options?: CallOptions): Awaitable<readonly number[]>;
  /** Throws for bytes that cannot be decoded. */
  inputs(media: MediaRef, bytes: Uint8Array, options?: CallOptions): Awaitable<MediaInputs>;
  /**
   * Positions of the tokens on further axes, [A, T] row-major, of a model with rotary embeddings in several dimensions (M-RoPE,
   * three axes: time, height, width). Absent: tokens count 0, 1, 2, …
   */
  positions?(sequence: MediaSequence): Int32Array;
  dispose?(): Awaitable<void>;
}

export interface ProcessorOptions extends CallOptions {
  /** Hugging Face folder or GGUF file, which may say how media are prepared, or a bare model configuration. */
  readonly model: { readonly path: string } | { readonly config: Readonly<Record<string, unknown>> };
  readonly tokenizer: Tokenizer;
  /** `data.mm_processor_kwargs`; throw for one that is not known. Servers that prepare media themselves are told the same. */
  readonly kwargs: Readonly<Record<string, unknown>>;
}

/** How a processor is registered: found by the model's type, or by its name (`actor_rollout_ref.model.processor`). */
export interface ProcessorFactory {
  readonly name: string;
  /** Hugging Face's `model_type`s that it is for. */
  readonly modelTypes: readonly string[];
  create(options: ProcessorOptions): Awaitable<MediaProcessor>;
}
