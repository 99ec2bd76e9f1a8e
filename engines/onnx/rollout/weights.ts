import { bf16ToF32, f16ToF32, type ModelConfig } from "../../../core/formats/index.js";
import { type NamedTensor, rolloutErrors } from "../../../core/plugin.js";
import { allocateTensorData, elementCount } from "../runtime/index.js";
import { type DecodeParameter, decodeParameters, matrixShape, type TensorPart } from "./decode-parameters.js";
import type { Quantization } from "./quantization.js";
import { type Initializer, QuantizedMatrix } from "./quantized-matrix.js";

/** Values of the decode graph's initializers. */
export type DecodeWeights = ReadonlyMap<string, Initializer>;

export interface DrainOptions {
  readonly quantization?: Quantization | null;
  readonly signal?: AbortSignal;
  /** Weights of the same form that are no longer in use: their memory is overwritten. */
  readonly into?: DecodeWeights | null;
}

/** Where a tensor of the stream goes. */
interface Place extends TensorPart {
  put(tensor: NamedTensor): void;
}

/**
 * Drain a stream of parameters into memory of its own, each copied or rounded once per use. Refuses a stream that is not exactly
 * the model: nothing that is in use has been touched then.
 */
export async function drainWeights(
  config: ModelConfig,
  stream: AsyncIterable<NamedTensor>,
  { quantization = null, signal, into }: DrainOptions = {},
): Promise<DecodeWeights> {
  const weights = new Map<string, Initializer>();
  const places = new Map<string, Place[]>();
  for (const parameter of decodeParameters(config, quantization)) {
    const { initializers, placeOf } = parameter.bits === null ? wholeIn(parameter, into) : roundedIn(parameter, into);
    for (const [name, initializer] of initializers) weights.set(name, initializer);
    for (const part of parameter.parts) places.set(part.name, [...(places.get(part.name) ?? []), placeOf(part)]);
  }
  const missing = new Set(places.keys());
  for await (const tensor of stream) {
    signal?.throwIfAborted();
    const found = places.get(tensor.name);
    if (!found) throw bad(`${describe(tensor)} is not a parameter of this model`);
    if (!missing.delete(tensor.name)) throw bad(`${describe(tensor)} came twice`);
    const [{ shape }] = found;
    const fits = tensor.shape.length === shape.length && tensor.shape.every((d, i) => d === shape[i]);
    if (!fits || tensor.data.length !== elementCount(shape)) {
      throw bad(`${describe(tensor)} has ${tensor.data.length} elements; the model's is [${shape}]`);
    }
    for (const place of found) place.put(tensor);
  }
  if (missing.size > 0) {
    const some = [...missing].slice(0, 3).join(", ");
    throw bad(
      `${missing.size} of ${places.size} tensors are missing from the update: ${some}${missing.size > 3 ? ", …" : ""}`,
    );
  }
  return weights;
}

interface Target {
  readonly initializers: Iterable<[string, Initializer]>;
  placeOf(part: TensorPart): Place;
}

function wholeIn({ name, shape }: DecodeParameter, into: DecodeWeights | null | undefined): Target {
  const data =
    (into?.get(name)?.data as Float32Array | undefined) ?? allocateTensorData("float32", elementCount(shape));
  return {
    initializers: [[name, { dtype: "float32", shape, data }]],
    placeOf(part) {
      const own = data.subarray(part.offset, part.offset + elementCount(part.shape));
      return { ...part, put: (tensor) => write(tensor, own) };
    },
  };
}

function roundedIn(parameter: DecodeParameter, into: DecodeWeights | null | undefined): Target {
  const { name, bits, isTransposed } = parameter;
  const form = matrixShape(parameter);
  const matrix = new QuantizedMatrix(name, form, bits ?? 8, into);
  return {
    initializers: matrix.initializers(),
    placeOf: (part) => ({
      ...part,
      put(tensor) {
        const values = asFloats(tensor);
        if (isTransposed) matrix.writeTransposed(values);
        else matrix.write(values, part.offset / form.inputs);
      },
    }),
  };
}

function asFloats(tensor: NamedTensor): Float32Array {
  if (tensor.dtype === "f32" && tensor.data instanceof Float32Array) return tensor.data;
  const values = new Float32Array(tensor.data.length);
  write(tensor, values);
  return values;
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
