import { bf16ToF32, f16ToF32, type ModelConfig } from "../../../core/formats/index.js";
import { type NamedTensor, rolloutErrors } from "../../../core/plugin.js";
import { allocateTensorData } from "../runtime/index.js";
import { decodeParameters, type TensorPart } from "./decode-parameters.js";

/** Values of the decode graph's parameters. */
export type DecodeWeights = ReadonlyMap<string, { readonly shape: readonly number[]; readonly data: Float32Array }>;

export interface DrainOptions {
  readonly signal?: AbortSignal;
  /** Weights of the same model that are no longer in use: their memory is overwritten. */
  readonly into?: DecodeWeights | null;
}

/**
 * Drain a stream of parameters into memory of its own, each copied once. Refuses a stream that is not exactly the
 * model: nothing that is in use has been touched then.
 */
export async function drainWeights(
  config: ModelConfig,
  stream: AsyncIterable<NamedTensor>,
  { signal, into }: DrainOptions = {},
): Promise<DecodeWeights> {
  const weights = new Map<string, { shape: readonly number[]; data: Float32Array }>();
  const places = new Map<string, TensorPart & { readonly into: Float32Array }>();
  for (const { name, shape, parts } of decodeParameters(config)) {
    const data = into?.get(name)?.data ?? allocateTensorData("float32", elements(shape));
    weights.set(name, { shape, data });
    for (const part of parts) {
      places.set(part.name, { ...part, into: data.subarray(part.offset, part.offset + elements(part.shape)) });
    }
  }
  const missing = new Set(places.keys());
  for await (const tensor of stream) {
    signal?.throwIfAborted();
    const place = places.get(tensor.name);
    if (!place) throw bad(`${describe(tensor)} is not a parameter of this model`);
    if (!missing.delete(tensor.name)) throw bad(`${describe(tensor)} came twice`);
    const fits = tensor.shape.length === place.shape.length && tensor.shape.every((d, i) => d === place.shape[i]);
    if (!fits || tensor.data.length !== place.into.length) {
      throw bad(`${describe(tensor)} has ${tensor.data.length} elements; the model's is [${place.shape}]`);
    }
    write(tensor, place.into);
  }
  if (missing.size > 0) {
    const some = [...missing].slice(0, 3).join(", ");
    throw bad(
      `${missing.size} of ${places.size} tensors are missing from the update: ${some}${missing.size > 3 ? ", …" : ""}`,
    );
  }
  return weights;
}

function write(tensor: NamedTensor, into: Float32Array): void {
  const { dtype, data } = tensor;
  if (dtype === "f32" && data instanceof Float32Array) into.set(data);
  else if (dtype === "bf16" && data instanceof Uint16Array) bf16ToF32(data, into);
  else if (dtype === "f16" && data instanceof Uint16Array) f16ToF32(data, into);
  else throw bad(`${describe(tensor)} is ${data.constructor.name}; f32, bf16 and f16 are understood`);
}

function describe({ name, dtype, shape }: NamedTensor): string {
  return `Tensor ${name} (${dtype}, [${shape}])`;
}

const bad = (what: string) => rolloutErrors.VERL_ROLLOUT_BAD_WEIGHTS({ what });

function elements(shape: readonly number[]): number {
  return shape.reduce((n, d) => n * d, 1);
}
