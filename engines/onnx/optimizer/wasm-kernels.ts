import type { AdamWScalars, UpdateKernels } from "./kernels.js";
import {
  F32,
  F64,
  f32x4,
  f64,
  f64x2,
  get,
  I32,
  increase,
  loopWhileBelow,
  set,
  V128,
  type WasmFunction,
  wasmModule,
} from "./wasm-code.js";

/** The part of the standard interface that is used; its types ship with the DOM's only. */
declare const WebAssembly: {
  readonly Memory: new (limits: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

const PAGE_BYTES = 65536;
const MAX_PAGES = 65536;
const ARRAYS = 4;

/** Most elements of a shard: its four arrays share one WebAssembly memory of 4 GiB. */
export const MAX_WASM_ELEMENTS = (MAX_PAGES * PAGE_BYTES) / (ARRAYS * Float32Array.BYTES_PER_ELEMENT);

interface Exports {
  adamw(values: number, gradients: number, m: number, v: number, gradientsEnd: number, ...scalars: number[]): void;
  squareSum(start: number, end: number): number;
}

/** Four lanes at a time in WebAssembly SIMD, over memory that onnxruntime reads and writes as well. */
export class WasmKernels implements UpdateKernels {
  readonly values: Float32Array;
  readonly gradients: Float32Array;
  readonly m: Float32Array;
  readonly v: Float32Array;
  private readonly exports: Exports;

  /** `size` is a multiple of 4. */
  constructor(size: number) {
    const pages = Math.max(1, Math.ceil((size * ARRAYS * Float32Array.BYTES_PER_ELEMENT) / PAGE_BYTES));
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const array = (i: number) => new Float32Array(memory.buffer, i * size * Float32Array.BYTES_PER_ELEMENT, size);
    [this.values, this.gradients, this.m, this.v] = [array(0), array(1), array(2), array(3)];
    const instance = new WebAssembly.Instance(new WebAssembly.Module(MODULE), { env: { memory } });
    this.exports = instance.exports as Exports;
  }

  adamw({ gradScale, beta1, beta2, decay, stepSize, rootCorrection, eps }: AdamWScalars): void {
    const { values, gradients, m, v } = this;
    if (values.length === 0) return;
    this.exports.adamw(
      values.byteOffset,
      gradients.byteOffset,
      m.byteOffset,
      v.byteOffset,
      m.byteOffset,
      ...[gradScale, beta1, 1 - beta1, beta2, 1 - beta2, decay, stepSize, rootCorrection, eps],
    );
  }

  gradientSquareSum(): number {
    const { gradients, m } = this;
    return gradients.length === 0 ? 0 : this.exports.squareSum(gradients.byteOffset, m.byteOffset);
  }
}

function adamwFunction(): WasmFunction {
  const [values, gradients, m, v, end] = [0, 1, 2, 3, 4];
  const scalars = [5, 6, 7, 8, 9, 10, 11, 12, 13];
  const [gradScale, beta1, keep1, beta2, keep2, decay, stepSize, rootCorrection, eps] = scalars.map((s) => s + 9);
  const [g, newM, newV] = [23, 24, 25];
  const { load, store, splat, add, sub, mul, div, sqrt } = f32x4;
  const step = [
    ...set(g, mul(load(get(gradients)), get(gradScale))),
    ...set(newM, add(mul(load(get(m)), get(beta1)), mul(get(g), get(keep1)))),
    ...store(get(m), get(newM)),
    ...set(newV, add(mul(load(get(v)), get(beta2)), mul(mul(get(g), get(g)), get(keep2)))),
    ...store(get(v), get(newV)),
    ...store(
      get(values),
      sub(
        mul(load(get(values)), get(decay)),
        div(mul(get(newM), get(stepSize)), add(mul(sqrt(get(newV)), get(rootCorrection)), get(eps))),
      ),
    ),
    ...[values, gradients, m, v].flatMap((pointer) => increase(pointer, 16)),
  ];
  return {
    name: "adamw",
    parameters: [I32, I32, I32, I32, I32, ...scalars.map(() => F32)],
    results: [],
    locals: Array<number>(12).fill(V128),
    body: [...scalars.flatMap((s) => set(s + 9, splat(get(s)))), ...loopWhileBelow(gradients, get(end), step)],
  };
}

function squareSumFunction(): WasmFunction {
  const [pointer, end, sumA, sumB, a, b] = [0, 1, 2, 3, 4, 5];
  const { loadPromoted, add, mul, lane } = f64x2;
  const step = [
    ...set(a, loadPromoted(get(pointer), 0)),
    ...set(b, loadPromoted(get(pointer), 8)),
    ...set(sumA, add(get(sumA), mul(get(a), get(a)))),
    ...set(sumB, add(get(sumB), mul(get(b), get(b)))),
    ...increase(pointer, 16),
  ];
  const total = add(get(sumA), get(sumB));
  return {
    name: "squareSum",
    parameters: [I32, I32],
    results: [F64],
    locals: Array<number>(4).fill(V128),
    body: [...loopWhileBelow(pointer, get(end), step), ...f64.add(lane(total, 0), lane(total, 1))],
  };
}

const MODULE = wasmModule([adamwFunction(), squareSumFunction()]);
