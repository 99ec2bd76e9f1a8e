import type { NamedTensor } from "../../../core/plugin.js";
import { gradientFeed, gradientFetch } from "../graphs/model-graph.js";
import type { UpdateKernels } from "../optimizer/kernels.js";
import type { GroupedShard } from "../optimizer/optimizer.js";
import type { ParameterGroup } from "../optimizer/parameter-groups.js";
import { PlainKernels } from "../optimizer/plain-kernels.js";
import type { ShardParameter } from "../optimizer/update-rule.js";
import { maxWasmElements, WasmKernels } from "../optimizer/wasm-kernels.js";
import { allocateTensorData, elementCount, type OrtRuntime, type OrtTensor } from "../runtime/index.js";
import { DeviceCopy } from "./device-copy.js";

export interface StoredParameter extends ShardParameter {
  readonly name: string;
  readonly shard: number;
}

/** A parameter to be stored; one without a group is frozen. */
export interface PlacedParameter {
  readonly name: string;
  readonly shape: readonly number[];
  readonly group: ParameterGroup | null;
}

interface Shard {
  readonly group: ParameterGroup | null;
  readonly parameters: StoredParameter[];
  size: number;
}

/** Parameters begin at multiples of a cache line; the gaps stay 0. */
const ALIGNMENT = 16;

/** Elements of a shard without gradients: 1 GiB. */
const MAX_FROZEN_ELEMENTS = 2 ** 28;

/**
 * Parameters in a few flat shards per group, with gradients and the arrays of their update rule alongside, and views per
 * tensor. Frozen parameters have values alone.
 */
export class ParameterStore {
  readonly parameters: readonly StoredParameter[];
  /** The shards that are trained. */
  readonly trained: readonly GroupedShard[];
  /** Graph feeds and fetches over this memory, by graph name. */
  readonly feeds: Readonly<Record<string, OrtTensor>>;
  readonly fetches: Readonly<Record<string, OrtTensor>>;
  /** The same in a device's memory; null where graphs run in the host's. */
  readonly onDevice: DeviceCopy | null;
  private readonly memory: readonly (Pick<UpdateKernels, "values"> & Partial<UpdateKernels>)[];
  private readonly groups: readonly (ParameterGroup | null)[];

  constructor(runtime: OrtRuntime, placed: readonly PlacedParameter[], shardElements = Number.POSITIVE_INFINITY) {
    const { parameters, shards } = place(placed, shardElements);
    this.parameters = parameters;
    this.groups = shards.map(({ group }) => group);
    const trained: GroupedShard[] = [];
    this.memory = shards.map(({ group, size, parameters }) => {
      if (group === null) return { values: allocateTensorData("float32", size) };
      const stateArrays = group.state.length;
      const fits = size <= maxWasmElements(2 + stateArrays);
      const kernels = fits ? new WasmKernels(size, stateArrays) : new PlainKernels(size, stateArrays);
      trained.push({ group, kernels, parameters });
      return kernels;
    });
    this.trained = trained;
    const feeds: Record<string, OrtTensor> = {};
    const fetches: Record<string, OrtTensor> = {};
    for (const parameter of parameters) {
      const { name, shape } = parameter;
      feeds[name] = runtime.tensor("float32", shape, this.values(parameter));
      if (this.groups[parameter.shard] === null) continue;
      const gradient = runtime.tensor("float32", shape, this.gradients(parameter));
      feeds[gradientFeed(name)] = gradient;
      fetches[gradientFetch(name)] = gradient;
    }
    this.feeds = feeds;
    this.fetches = fetches;
    this.onDevice = runtime.device ? new DeviceCopy(runtime, runtime.device, this) : null;
  }

  /** Number of parameters, gaps not counted. */
  get count(): number {
    return this.parameters.reduce((n, p) => n + p.length, 0);
  }

  /** Memory of all arrays. */
  get bytes(): number {
    const arraysOf = (group: ParameterGroup | null) => (group === null ? 1 : 2 + group.state.length);
    return this.memory.reduce((n, { values }, i) => n + values.byteLength * arraysOf(this.groups[i]), 0);
  }

  find(name: string): StoredParameter | undefined {
    return this.parameters.find((p) => p.name === name);
  }

  values(parameter: StoredParameter): Float32Array {
    return viewOf(this.memory[parameter.shard].values, parameter);
  }

  /** Of a parameter that is trained. */
  gradients(parameter: StoredParameter): Float32Array {
    return viewOf(this.memory[parameter.shard].gradients as Float32Array, parameter);
  }

  /** Names of the arrays of update rules, in the order of their first parameters. */
  get stateNames(): readonly string[] {
    return [...new Set(this.groups.flatMap((group) => group?.state ?? []))];
  }

  /** An array of the update rule; null for a parameter whose rule has none of that name. */
  state(name: string, parameter: StoredParameter): Float32Array | null {
    const index = this.groups[parameter.shard]?.state.indexOf(name) ?? -1;
    const array = this.memory[parameter.shard].state?.[index];
    return array ? viewOf(array, parameter) : null;
  }

  /** Views as named tensors, of the parameters that have the array; `prefix` goes before each name. */
  *named(viewOf: (parameter: StoredParameter) => Float32Array | null, prefix = ""): Generator<NamedTensor> {
    for (const parameter of this.parameters) {
      const data = viewOf(parameter);
      if (data) yield { name: prefix + parameter.name, dtype: "f32", shape: parameter.shape, data };
    }
  }

  *namedValues(): Generator<NamedTensor> {
    yield* this.named((parameter) => this.values(parameter));
  }

  dispose(): void {
    for (const tensor of Object.values(this.feeds)) tensor.release();
    this.onDevice?.dispose();
  }
}

function viewOf(array: Float32Array, { offset, length }: ShardParameter): Float32Array {
  return array.subarray(offset, offset + length);
}

/** Fills shards of each group in order; a tensor larger than a shard gets one of its own. */
function place(placed: readonly PlacedParameter[], shardElements: number) {
  const shards: Shard[] = [];
  const parameters = placed.map(({ name, shape, group }): StoredParameter => {
    const length = elementCount(shape);
    const space = Math.ceil(length / ALIGNMENT) * ALIGNMENT;
    const most = group === null ? MAX_FROZEN_ELEMENTS : maxWasmElements(2 + group.state.length);
    let shard = shards.findLastIndex((open) => open.group === group);
    if (shard < 0 || (shards[shard].size > 0 && shards[shard].size + space > Math.min(most, shardElements))) {
      shard = shards.push({ group, parameters: [], size: 0 }) - 1;
    }
    const parameter = { name, shape, shard, offset: shards[shard].size, length };
    shards[shard].size += space;
    shards[shard].parameters.push(parameter);
    return parameter;
  });
  return { parameters, shards };
}
