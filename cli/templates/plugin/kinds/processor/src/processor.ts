import type { MediaProcessor, ProcessorFactory, ProcessorOptions } from "verl-ts/plugin";

/** The token that the model's chat template writes for a sound. */
const PLACEHOLDER = "<audio>";
/** Sound that one token stands for, by default. */
const WINDOW_MS = 40;

/**
 * Sounds in WAV files, 16 bits a sample: a token for each window, and of each window its loudness and how often it crosses zero. A real
 * model's processor computes what that model was trained with; everything around stays as it is here.
 */
function create({ tokenizer, kwargs }: ProcessorOptions): MediaProcessor {
  const { window_ms: windowMs = WINDOW_MS, ...unknown } = kwargs;
  const [strange] = Object.keys(unknown);
  if (strange !== undefined) throw new Error(`__SHORT__ has no option ${strange} (data.mm_processor_kwargs)`);
  if (!(typeof windowMs === "number" && windowMs >= 1)) throw new Error("window_ms must be a number of 1 or more");
  const id = tokenizer.tokenId(PLACEHOLDER);
  if (id === null) throw new Error(`the model's tokenizer has no token ${PLACEHOLDER}`);

  return {
    placeholders: { audio: PLACEHOLDER },
    tokens: (_sound, bytes) => new Array<number>(windowsOf(bytes, windowMs).length).fill(id),
    inputs(_sound, bytes) {
      const windows = windowsOf(bytes, windowMs);
      return { features: { shape: [windows.length, 2], data: Float32Array.from(windows.flatMap(features)) } };
    },
  };
}

function features(samples: readonly number[]): [loudness: number, crossings: number] {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  const crossings = samples.filter((sample, i) => i > 0 && sample < 0 !== samples[i - 1] < 0).length;
  return [Math.sqrt(power), crossings / samples.length];
}

/** The samples of a WAV file, −1 to 1, in windows; the channels one after the other. */
function windowsOf(bytes: Uint8Array, windowMs: number): number[][] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tagAt = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  let rate = 0;
  for (let at = 12; at + 8 <= view.byteLength; ) {
    const length = view.getUint32(at + 4, true);
    const start = at + 8;
    if (start + length > view.byteLength) throw new Error(`the file ends inside of its part ${tagAt(at)}`);
    if (tagAt(at) === "fmt ") {
      if (view.getUint16(start, true) !== 1 || view.getUint16(start + 14, true) !== 16)
        throw new Error("the samples are not whole numbers of 16 bits");
      rate = view.getUint32(start + 4, true);
    }
    if (tagAt(at) === "data" && rate > 0) {
      const samples = Array.from({ length: length >> 1 }, (_, i) => view.getInt16(start + 2 * i, true) / 2 ** 15);
      if (samples.length === 0) throw new Error("the file has no sound");
      const size = Math.max(1, Math.round((rate * windowMs) / 1000));
      return Array.from({ length: Math.ceil(samples.length / size) }, (_, w) =>
        samples.slice(w * size, (w + 1) * size),
      );
    }
    at = start + length + (length & 1);
  }
  throw new Error("the file has no part with sound");
}

export const processor: ProcessorFactory = { name: "__SHORT__", modelTypes: ["__SHORT__-audio"], create };
