import { allocateTensorData, elementCount, type TensorArrays } from "../runtime/index.js";
import type { WeightBits } from "./quantization.js";

/** Weights of one output that share a scale: the smallest block that every kernel of onnxruntime has. */
export const BLOCK = 32;

/** Values of an initializer of the decode graph. */
export interface Initializer {
  readonly dtype: "float32" | "uint8";
  readonly shape: readonly number[];
  readonly data: Float32Array | Uint8Array;
}

export interface MatrixShape {
  readonly inputs: number;
  readonly outputs: number;
}

export const SCALES = ".scales";
export const ZERO_POINTS = ".zero_points";

/** Shapes of what a rounded matrix is made of, as `MatMulNBits` takes it. */
export function quantizedShapes({ inputs, outputs }: MatrixShape, bits: WeightBits) {
  const blocks = Math.ceil(inputs / BLOCK);
  return {
    weights: [outputs, blocks, (BLOCK * bits) / 8],
    scales: [outputs * blocks],
    zeroPoints: [outputs * Math.ceil((blocks * bits) / 8)],
  };
}

/** Bytes of a rounded matrix, its scales and zero points included. */
export function quantizedBytes(matrix: MatrixShape, bits: WeightBits): number {
  const { weights, scales, zeroPoints } = quantizedShapes(matrix, bits);
  return elementCount(weights) + 4 * elementCount(scales) + elementCount(zeroPoints);
}

/**
 * A matrix rounded to 8 or 4 bits, in blocks of 32 weights of one output: weight ≈ scale · (code − zero point), where scale and zero
 * point put the block's least and greatest weight, and 0, on the ends of the range (to the nearest code).
 */
export class QuantizedMatrix {
  private readonly weights: Uint8Array;
  private readonly scales: Float32Array;
  private readonly zeroPoints: Uint8Array;
  private readonly blocks: number;

  /** @param memory of a matrix of the same form that is no longer in use. */
  constructor(
    readonly name: string,
    private readonly shape: MatrixShape,
    private readonly bits: WeightBits,
    memory?: ReadonlyMap<string, Initializer> | null,
  ) {
    const shapes = quantizedShapes(shape, bits);
    const of = <T extends "uint8" | "float32">(suffix: string, dtype: T, dims: readonly number[]) =>
      (memory?.get(name + suffix)?.data as TensorArrays[T] | undefined) ??
      allocateTensorData(dtype, elementCount(dims));
    this.weights = of("", "uint8", shapes.weights);
    this.scales = of(SCALES, "float32", shapes.scales);
    this.zeroPoints = of(ZERO_POINTS, "uint8", shapes.zeroPoints);
    this.blocks = Math.ceil(shape.inputs / BLOCK);
  }

  initializers(): [string, Initializer][] {
    const { weights, scales, zeroPoints } = quantizedShapes(this.shape, this.bits);
    return [
      [this.name, { dtype: "uint8", shape: weights, data: this.weights }],
      [this.name + SCALES, { dtype: "float32", shape: scales, data: this.scales }],
      [this.name + ZERO_POINTS, { dtype: "uint8", shape: zeroPoints, data: this.zeroPoints }],
    ];
  }

  /** Round the weights [n, inputs] of the outputs from `first` on. */
  write(values: Float32Array, first = 0): void {
    const { inputs } = this.shape;
    for (let row = 0; row * inputs < values.length; row++) this.writeRow(first + row, values, row * inputs, 1);
  }

  /** Round all weights, which lie as [inputs, outputs]. */
  writeTransposed(values: Float32Array): void {
    const { outputs } = this.shape;
    for (let output = 0; output < outputs; output++) this.writeRow(output, values, output, outputs);
  }

  private writeRow(output: number, values: Float32Array, start: number, stride: number): void {
    const { bits, blocks, weights, scales, zeroPoints } = this;
    const { inputs } = this.shape;
    const greatest = 2 ** bits - 1;
    const [blockBytes, zeroBytes] = [(BLOCK * bits) / 8, Math.ceil((blocks * bits) / 8)];
    for (let block = 0; block < blocks; block++) {
      const begin = block * BLOCK;
      const length = Math.min(BLOCK, inputs - begin);
      const at = start + begin * stride;
      let [low, high, finite] = [0, 0, 0];
      for (let i = 0; i < length; i++) {
        const value = values[at + i * stride];
        if (value < low) low = value;
        else if (value > high) high = value;
        finite += value * 0;
      }
      // A weight that is not a number must come out as one that is not.
      const scale = Math.fround(finite + (high - low) / greatest);
      const inverse = scale > 0 ? 1 / scale : 0;
      const zero = Math.round(-low * inverse);
      scales[output * blocks + block] = scale;
      if (bits === 8) zeroPoints[output * zeroBytes + block] = zero;
      else putNibble(zeroPoints, output * zeroBytes, block, zero);
      const into = (output * blocks + block) * blockBytes;
      for (let i = 0; i < BLOCK; i++) {
        const value = i < length ? values[at + i * stride] : 0;
        const code = Math.min(Math.max(Math.round(value * inverse) + zero, 0), greatest);
        if (bits === 8) weights[into + i] = code;
        else putNibble(weights, into, i, code);
      }
    }
  }
}

/** The low half of a byte comes first. */
function putNibble(bytes: Uint8Array, start: number, index: number, value: number): void {
  const at = start + (index >> 1);
  bytes[at] = index & 1 ? (bytes[at] & 0x0f) | (value << 4) : (bytes[at] & 0xf0) | value;
}
