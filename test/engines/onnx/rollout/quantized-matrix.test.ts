import { expect } from "chai";
import fc from "fast-check";
import {
  QuantizedMatrix,
  quantizedBytes,
  SCALES,
  ZERO_POINTS,
} from "../../../../engines/onnx/rollout/quantized-matrix.js";

const BLOCK = 32;
/** The smallest normal float32: below it scales have few digits. */
const SMALLEST = 2 ** -126;
type Bits = 8 | 4;

/** The weights [outputs, inputs] that a matrix stands for, read from its parts. */
function dequantize(matrix: QuantizedMatrix, shape: { inputs: number; outputs: number }, bits: Bits): Float32Array {
  const parts = new Map(matrix.initializers());
  const data = (suffix: string) => parts.get(`w${suffix}`)?.data ?? new Float32Array();
  const [codes, scales, zeros] = [data(""), data(SCALES), data(ZERO_POINTS)];
  const blocks = Math.ceil(shape.inputs / BLOCK);
  const code = (bytes: ArrayLike<number>, start: number, i: number) =>
    bits === 8 ? bytes[start + i] : (bytes[start + (i >> 1)] >> (4 * (i & 1))) & 15;
  return Float32Array.from({ length: shape.outputs * shape.inputs }, (_, i) => {
    const [output, input] = [Math.floor(i / shape.inputs), i % shape.inputs];
    const block = Math.floor(input / BLOCK);
    const at = output * blocks + block;
    const zero = code(zeros, output * Math.ceil((blocks * bits) / 8), block);
    return scales[at] * (code(codes, (at * BLOCK * bits) / 8, input % BLOCK) - zero);
  });
}

function rounded(values: Float32Array, shape: { inputs: number; outputs: number }, bits: Bits): Float32Array {
  const matrix = new QuantizedMatrix("w", shape, bits);
  matrix.write(values);
  return dequantize(matrix, shape, bits);
}

const shapes = fc.record({ inputs: fc.integer({ min: 1, max: 100 }), outputs: fc.integer({ min: 1, max: 5 }) });
const matrices = shapes.chain((shape) =>
  fc
    .array(fc.float({ noNaN: true, min: -8, max: 8 }), {
      minLength: shape.inputs * shape.outputs,
      maxLength: shape.inputs * shape.outputs,
    })
    .map((values) => ({ shape, values: Float32Array.from(values) })),
);

describe("onnx rollout: rounded matrices", () => {
  for (const bits of [8, 4] as const) {
    it(`are within one step of ${bits} bits of the weights, and keep zeros`, () => {
      fc.assert(
        fc.property(matrices, ({ shape, values }) => {
          const result = rounded(values, shape, bits);
          for (let output = 0; output < shape.outputs; output++) {
            for (let begin = 0; begin < shape.inputs; begin += BLOCK) {
              const [start, end] = [begin, Math.min(begin + BLOCK, shape.inputs)].map((i) => output * shape.inputs + i);
              const block = values.subarray(start, end);
              const step = (Math.max(0, ...block) - Math.min(0, ...block)) / (2 ** bits - 1);
              block.forEach((value, i) => {
                expect(Math.abs(result[start + i] - value)).to.be.at.most(step * 1.0001 + SMALLEST);
                if (value === 0) expect(Math.abs(result[start + i])).to.equal(0);
              });
            }
          }
        }),
      );
    });
  }

  it("are the same from parts, and from weights stored as [inputs, outputs]", () => {
    const shape = { inputs: 40, outputs: 6 };
    const values = Float32Array.from({ length: 240 }, (_, i) => Math.sin(i));
    const whole = rounded(values, shape, 4);
    const parts = new QuantizedMatrix("w", shape, 4);
    parts.write(values.subarray(80), 2);
    parts.write(values.subarray(0, 80), 0);
    expect(dequantize(parts, shape, 4)).to.deep.equal(whole);
    const transposed = new QuantizedMatrix("w", shape, 4);
    transposed.writeTransposed(Float32Array.from(values, (_, i) => values[(i % 6) * 40 + Math.floor(i / 6)]));
    expect(dequantize(transposed, shape, 4)).to.deep.equal(whole);
  });

  it("overwrite the memory of others", () => {
    const shape = { inputs: 40, outputs: 6 };
    const old = new QuantizedMatrix("w", shape, 4);
    old.write(new Float32Array(240).fill(0.3));
    const fresh = new QuantizedMatrix("w", shape, 4, new Map(old.initializers()));
    const values = Float32Array.from({ length: 240 }, (_, i) => Math.cos(i));
    fresh.write(values);
    expect(new Map(fresh.initializers()).get("w")?.data).to.equal(new Map(old.initializers()).get("w")?.data);
    expect(dequantize(fresh, shape, 4)).to.deep.equal(rounded(values, shape, 4));
  });

  for (const value of [Number.NaN, Infinity]) {
    it(`make ${value} something that is no number`, () => {
      const values = new Float32Array(64).fill(1);
      values[40] = value;
      const result = rounded(values, { inputs: 64, outputs: 1 }, 8);
      expect([result[0], result[40]]).to.deep.equal([1, Number.NaN]);
    });
  }

  it("take an eighth, or a quarter, of float32 and what the scales need", () => {
    const shape = { inputs: 64, outputs: 10 };
    expect(quantizedBytes(shape, 8)).to.equal(640 + 20 * 4 + 20);
    expect(quantizedBytes(shape, 4)).to.equal(320 + 20 * 4 + 10);
  });
});
