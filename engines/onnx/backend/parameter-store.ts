import { type ModelConfig, parameterSpecs } from "../../../core/formats/index.js";
import type { NamedTensor } from "../../../core/plugin.js";
import { gradientFeed, gradientFetch } from "../graphs/model-graph.js";
import { allocateTensorData, elementCount, type OrtRuntime, type OrtTensor } from "../runtime/index.js";

export interface StoredParameter {
  readonly name: string;
  readonly shape: readonly number[];
  readonly offset: number;
  readonly length: number;
}

/** Parameters begin at multiples of a cache line. */
const ALIGNMENT = 16;

/** All parameters in one flat array and all gradients in another, with views per tensor; gaps between them stay 0. */
export class ParameterStore {
  readonly parameters: readonly StoredParameter[];
  /** Elements of the flat arrays, gaps included. */
  readonly size: number;
  readonly values: Float32Array;
  /** Null in a forward-only engine. */
  readonly gradients: Float32Array | null;
  /** Graph feeds and fetches over this memory, by graph name. */
  readonly feeds: Readonly<Record<string, OrtTensor>>;
  readonly fetches: Readonly<Record<string, OrtTensor>>;

  constructor(config: ModelConfig, runtime: OrtRuntime, withGradients: boolean) {
    let size = 0;
    this.parameters = parameterSpecs(config).map(({ name, shape }) => {
      const parameter = { name, shape, offset: size, length: elementCount(shape) };
      size += Math.ceil(parameter.length / ALIGNMENT) * ALIGNMENT;
      return parameter;
    });
    this.size = size;
    this.values = allocateTensorData("float32", size);
    this.gradients = withGradients ? allocateTensorData("float32", size) : null;
    const feeds: Record<string, OrtTensor> = {};
    const fetches: Record<string, OrtTensor> = {};
    for (const parameter of this.parameters) {
      const { name, shape } = parameter;
      feeds[name] = runtime.tensor("float32", shape, this.view(this.values, parameter));
      if (!this.gradients) continue;
      const gradient = runtime.tensor("float32", shape, this.view(this.gradients, parameter));
      feeds[gradientFeed(name)] = gradient;
      fetches[gradientFetch(name)] = gradient;
    }
    this.feeds = feeds;
    this.fetches = fetches;
  }

  /** Number of parameters, gaps not counted. */
  get count(): number {
    return this.parameters.reduce((n, p) => n + p.length, 0);
  }

  /** A parameter's part of an array laid out like `values`. */
  view(flat: Float32Array, parameter: StoredParameter): Float32Array {
    return flat.subarray(parameter.offset, parameter.offset + parameter.length);
  }

  find(name: string): StoredParameter | undefined {
    return this.parameters.find((p) => p.name === name);
  }

  /** Views of a flat array as named tensors; `prefix` goes before each name. */
  *named(flat: Float32Array, prefix = ""): Generator<NamedTensor> {
    for (const parameter of this.parameters) {
      const { name, shape } = parameter;
      yield { name: prefix + name, dtype: "f32", shape, data: this.view(flat, parameter) };
    }
  }

  dispose(): void {
    for (const tensor of Object.values(this.feeds)) tensor.release();
  }
}
