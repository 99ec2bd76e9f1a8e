import { type ModelConfig, parameterSpecs } from "../../../core/formats/index.js";
import type { NamedTensor } from "../../../core/plugin.js";
import { gradientFeed, gradientFetch } from "../graphs/model-graph.js";
import type { UpdateKernels } from "../optimizer/kernels.js";
import { PlainKernels } from "../optimizer/plain-kernels.js";
import { MAX_WASM_ELEMENTS, WasmKernels } from "../optimizer/wasm-kernels.js";
import { allocateTensorData, elementCount, type OrtRuntime, type OrtTensor } from "../runtime/index.js";

export interface StoredParameter {
  readonly name: string;
  readonly shape: readonly number[];
  readonly shard: number;
  readonly offset: number;
  readonly length: number;
}

/** What is kept per parameter; a forward-only engine keeps values alone. */
export type ParameterArray = "values" | "gradients" | "m" | "v";

/** Parameters begin at multiples of a cache line; the gaps stay 0. */
const ALIGNMENT = 16;

/** All parameters in a few flat shards, with gradients and moments alongside, and views per tensor. */
export class ParameterStore {
  readonly parameters: readonly StoredParameter[];
  /** Null in a forward-only engine. */
  readonly kernels: readonly UpdateKernels[] | null;
  /** Graph feeds and fetches over this memory, by graph name. */
  readonly feeds: Readonly<Record<string, OrtTensor>>;
  readonly fetches: Readonly<Record<string, OrtTensor>>;
  private readonly shards: readonly (Pick<UpdateKernels, "values"> & Partial<UpdateKernels>)[];

  constructor(config: ModelConfig, runtime: OrtRuntime, trains: boolean, shardElements = MAX_WASM_ELEMENTS) {
    const { parameters, sizes } = placeParameters(config, shardElements);
    this.parameters = parameters;
    this.kernels = trains ? sizes.map((n) => (n > MAX_WASM_ELEMENTS ? new PlainKernels(n) : new WasmKernels(n))) : null;
    this.shards = this.kernels ?? sizes.map((n) => ({ values: allocateTensorData("float32", n) }));
    const feeds: Record<string, OrtTensor> = {};
    const fetches: Record<string, OrtTensor> = {};
    for (const parameter of parameters) {
      const { name, shape } = parameter;
      feeds[name] = runtime.tensor("float32", shape, this.view("values", parameter));
      if (!trains) continue;
      const gradient = runtime.tensor("float32", shape, this.view("gradients", parameter));
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

  view(array: ParameterArray, { shard, offset, length }: StoredParameter): Float32Array {
    return (this.shards[shard][array] as Float32Array).subarray(offset, offset + length);
  }

  find(name: string): StoredParameter | undefined {
    return this.parameters.find((p) => p.name === name);
  }

  /** Views as named tensors; `prefix` goes before each name. */
  *named(array: ParameterArray, prefix = ""): Generator<NamedTensor> {
    for (const parameter of this.parameters) {
      const { name, shape } = parameter;
      yield { name: prefix + name, dtype: "f32", shape, data: this.view(array, parameter) };
    }
  }

  dispose(): void {
    for (const tensor of Object.values(this.feeds)) tensor.release();
  }
}

/** Fills shards in order; a tensor larger than a shard gets one of its own. */
function placeParameters(config: ModelConfig, shardElements: number) {
  const sizes: number[] = [0];
  const parameters = parameterSpecs(config).map(({ name, shape }): StoredParameter => {
    const length = elementCount(shape);
    const space = Math.ceil(length / ALIGNMENT) * ALIGNMENT;
    const last = sizes.length - 1;
    if (sizes[last] > 0 && sizes[last] + space > shardElements) sizes.push(0);
    const shard = sizes.length - 1;
    const offset = sizes[shard];
    sizes[shard] += space;
    return { name, shape, shard, offset, length };
  });
  return { parameters, sizes };
}
