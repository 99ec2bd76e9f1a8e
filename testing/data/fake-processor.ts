import type { MediaProcessor, MediaRef, ProcessorFactory, Tokenizer } from "../../core/plugin.js";
import { meanColour } from "./png.js";

/** `model_type` of the fake model that sees pictures. */
export const PICTURE_MODEL = "fake_pictures";
/** Name of its inputs: red, green and blue, [1, 3]. */
export const PICTURE_INPUT = "mean_colour";
/** Numbers in them. */
export const PICTURE_CHANNELS = 3;

export interface FakeProcessorOptions {
  /** Token of the tokenizer; default `<image>`. */
  readonly placeholder?: string;
  /** Side of a square that one token stands for, pixels; default 8. */
  readonly patchSize?: number;
}

/**
 * A processor for the fake engine and the fake rollout: the mean colour of a plain PNG, and a token for each patch. It takes
 * images alone.
 */
export function createFakeProcessor(
  tokenizer: Pick<Tokenizer, "tokenId">,
  { placeholder = "<image>", patchSize = 8 }: FakeProcessorOptions = {},
): MediaProcessor {
  const id = tokenizer.tokenId(placeholder);
  if (id === null) throw new Error(`the tokenizer has no token ${placeholder}`);
  const patches = (pixels = 0) => Math.max(1, Math.ceil(pixels / patchSize));
  return {
    placeholders: { image: placeholder },
    tokens: ({ width, height }: MediaRef) => new Array<number>(patches(width) * patches(height)).fill(id),
    inputs: (_media, bytes) => ({
      [PICTURE_INPUT]: { shape: [1, PICTURE_CHANNELS], data: Float32Array.from(meanColour(bytes)) },
    }),
  };
}

/** Registers for {@link PICTURE_MODEL}; `data.mm_processor_kwargs` may set `placeholder` and `patchSize`. */
export const fakeProcessorFactory: ProcessorFactory = {
  name: "fake",
  modelTypes: [PICTURE_MODEL],
  create({ tokenizer, kwargs }) {
    const unknown = Object.keys(kwargs).filter((name) => name !== "placeholder" && name !== "patchSize");
    if (unknown.length > 0) throw new Error(`the fake processor knows no option ${unknown.join(", ")}`);
    return createFakeProcessor(tokenizer, kwargs as FakeProcessorOptions);
  },
};
