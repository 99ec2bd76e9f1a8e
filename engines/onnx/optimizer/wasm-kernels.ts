import type { AdamWScalars, SgdScalars, UpdateKernels } from "./kernels.js";
import { UPDATE_MODULE, type UpdateFunctions } from "./wasm-functions.js";

/** The part of the standard interface that is used; its types ship with the DOM's only. */
declare const WebAssembly: {
  readonly Memory: new (limits: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

const PAGE_BYTES = 65536;
const MAX_PAGES = 65536;

/** Most elements of a shard with so many arrays: they share one WebAssembly memory of 4 GiB. */
export function maxWasmElements(arrays: number): number {
  const elements = Math.floor((MAX_PAGES * PAGE_BYTES) / (arrays * Float32Array.BYTES_PER_ELEMENT));
  return elements - (elements % 16);
}

/** Four lanes at a time in WebAssembly SIMD, over memory that onnxruntime reads and writes as well. */
export class WasmKernels implements UpdateKernels {
  readonly values: Float32Array;
  readonly gradients: Float32Array;
  readonly state: readonly Float32Array[];
  private readonly functions: UpdateFunctions;

  /** `size` is a multiple of 4. */
  constructor(size: number, stateArrays: number) {
    const bytes = size * Float32Array.BYTES_PER_ELEMENT;
    const pages = Math.max(1, Math.ceil((bytes * (2 + stateArrays)) / PAGE_BYTES));
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const arrays = Array.from({ length: 2 + stateArrays }, (_, i) => new Float32Array(memory.buffer, i * bytes, size));
    // Loops end where values or gradients do: below 4 GiB, for a third array or the other of the two comes after them.
    [this.gradients, this.values] = arrays;
    this.state = arrays.slice(2);
    const instance = new WebAssembly.Instance(new WebAssembly.Module(UPDATE_MODULE), { env: { memory } });
    this.functions = instance.exports as UpdateFunctions;
  }

  adamw({ gradScale, beta1, beta2, decay, stepSize, rootCorrection, eps }: AdamWScalars): void {
    const { values, gradients, functions } = this;
    if (values.length === 0) return;
    const [m, v] = this.state;
    functions.adamw(
      ...([gradients.byteOffset, endOf(gradients)] as const),
      ...([values.byteOffset, m.byteOffset, v.byteOffset] as const),
      ...[gradScale, beta1, 1 - beta1, beta2, 1 - beta2, decay, stepSize, rootCorrection, eps],
    );
  }

  sgd({ gradScale, weightDecay, momentum, nesterov, lr }: SgdScalars): void {
    const { values, gradients, functions } = this;
    if (values.length === 0) return;
    const arrays = [gradients.byteOffset, endOf(gradients), values.byteOffset] as const;
    if (momentum === 0) {
      functions.sgd(...arrays, gradScale, weightDecay, lr);
    } else {
      const factors = nesterov ? [1, momentum] : [0, 1];
      functions.sgdMomentum(...arrays, this.state[0].byteOffset, gradScale, weightDecay, lr, momentum, ...factors);
    }
  }

  average(share: number): void {
    const { values } = this;
    if (values.length === 0) return;
    const average = this.state[this.state.length - 1];
    this.functions.average(values.byteOffset, endOf(values), average.byteOffset, share);
  }

  gradientSquareSum(): number {
    const { gradients } = this;
    return gradients.length === 0 ? 0 : this.functions.squareSum(gradients.byteOffset, endOf(gradients));
  }
}

function endOf(array: Float32Array): number {
  return array.byteOffset + array.byteLength;
}
