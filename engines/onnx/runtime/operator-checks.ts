import { Graph, MICROSOFT, type Ref } from "../ir/index.js";
import type { OrtRuntime } from "./ort-runtime.js";
import { allocateTensorData, elementCount } from "./tensor-memory.js";

interface OperatorCheck {
  readonly name: string;
  readonly inputs: Readonly<Record<string, readonly number[]>>;
  readonly output: readonly number[];
  /** A result that graphs with plain norms do not use. */
  readonly ofFusedNorm?: boolean;
  build(g: Graph, inputs: Readonly<Record<string, Ref>>): Ref;
  /** The expected output by plain loops. */
  expected(inputs: Readonly<Record<string, Float32Array>>): ArrayLike<number>;
}

const [ROWS, WIDTH] = [24, 32];
const EPSILON = 1e-5;

/** Operators whose results are not plain arithmetic, and that some provider has been seen to get wrong without a word. */
const CHECKS: readonly OperatorCheck[] = [
  {
    name: "second output of SimplifiedLayerNormalization",
    ofFusedNorm: true,
    inputs: { x: [ROWS, WIDTH], weight: [WIDTH] },
    output: [ROWS, 1],
    build: (g, { x, weight }) =>
      g.opMany("SimplifiedLayerNormalization", [x, weight], 2, {
        axis: -1,
        epsilon: { float: EPSILON },
        stash_type: 1,
      })[1],
    expected: ({ x }) =>
      perRow(x, (row) => 1 / Math.sqrt(row.reduce((sum, value) => sum + value * value, 0) / WIDTH + EPSILON)),
  },
  {
    name: "third output of LayerNormalization",
    ofFusedNorm: true,
    inputs: { x: [ROWS, WIDTH], weight: [WIDTH], bias: [WIDTH] },
    output: [ROWS, 1],
    build: (g, { x, weight, bias }) =>
      g.opMany("LayerNormalization", [x, weight, bias], 3, { axis: -1, epsilon: { float: EPSILON } })[2],
    expected: ({ x }) =>
      perRow(x, (row) => {
        const mean = row.reduce((sum, value) => sum + value, 0) / WIDTH;
        return 1 / Math.sqrt(row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / WIDTH + EPSILON);
      }),
  },
  {
    name: "Gelu by tanh",
    inputs: { x: [ROWS, WIDTH] },
    output: [ROWS, WIDTH],
    build: (g, { x }) => g.op("Gelu", [x], { approximate: "tanh" }),
    expected: ({ x }) => x.map((v) => 0.5 * v * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (v + 0.044715 * v ** 3)))),
  },
  {
    name: "RotaryEmbedding",
    inputs: { x: [1, ROWS, WIDTH], cos: [ROWS, WIDTH / 2], sin: [ROWS, WIDTH / 2] },
    output: [1, ROWS, WIDTH],
    build: (g, { x, cos, sin }) => g.op("RotaryEmbedding", [x, g.ints(0), cos, sin], {}, MICROSOFT),
    expected({ x, cos, sin }) {
      const half = WIDTH / 2;
      return x.map((value, i) => {
        const [t, j] = [Math.floor(i / WIDTH), i % WIDTH];
        const other = j < half ? -x[i + half] : x[i - half];
        return value * cos[t * half + (j % half)] + other * sin[t * half + (j % half)];
      });
    },
  },
  {
    name: "FusedMatMul",
    inputs: { a: [2, ROWS, WIDTH], b: [2, ROWS, WIDTH] },
    output: [2, ROWS, ROWS],
    build: (g, { a, b }) => g.op("FusedMatMul", [a, b], { transB: 1, alpha: { float: 0.5 } }, MICROSOFT),
    expected({ a, b }) {
      const out = new Float64Array(2 * ROWS * ROWS);
      for (let i = 0; i < out.length; i++) {
        const [batch, row, column] = [Math.floor(i / ROWS / ROWS), Math.floor(i / ROWS) % ROWS, i % ROWS];
        for (let k = 0; k < WIDTH; k++) {
          out[i] += 0.5 * a[(batch * ROWS + row) * WIDTH + k] * b[(batch * ROWS + column) * WIDTH + k];
        }
      }
      return out;
    },
  },
  {
    name: "LogSoftmax with ScatterElements",
    inputs: { x: [ROWS, WIDTH], update: [ROWS, 1] },
    output: [ROWS, WIDTH],
    build(g, { x, update }) {
      const index = g.op("Cast", [g.op("Mul", [g.op("Abs", [update]), g.scalar(0)])], { to: 7 });
      const scores = g.op("LogSoftmax", [x], { axis: -1 });
      return g.op("ScatterElements", [scores, index, update], { axis: 1, reduction: "add" });
    },
    expected({ x, update }) {
      const sums = perRow(x, (row) => Math.log(row.reduce((sum, value) => sum + Math.exp(value), 0)));
      return x.map((value, i) => value - sums[Math.floor(i / WIDTH)] + (i % WIDTH === 0 ? update[i / WIDTH] : 0));
    },
  },
];

/** Throws the name of the first operator that a runtime gets wrong. */
export async function checkOperators(runtime: OrtRuntime): Promise<void> {
  for (const check of CHECKS.filter(({ ofFusedNorm }) => !(ofFusedNorm && runtime.plainNorms))) {
    const g = new Graph(check.name);
    const refs = Object.entries(check.inputs).map(([name, dims]) => [name, g.input(name, dims)]);
    g.output(check.build(g, Object.fromEntries(refs)), "out", check.output);
    const session = await runtime.createSession(g.encode(), { threads: 2 });
    const data = Object.fromEntries(Object.entries(check.inputs).map(([name, dims], i) => [name, waves(dims, i)]));
    const feeds = Object.fromEntries(
      Object.entries(check.inputs).map(([name, dims]) => [name, runtime.tensor("float32", dims, data[name])]),
    );
    const out = runtime.tensor("float32", check.output, allocateTensorData("float32", elementCount(check.output)));
    await session.run(feeds, { out });
    expectClose(check.name, out.data, check.expected(data));
    for (const tensor of [...Object.values(feeds), out]) tensor.release();
    await session.release();
  }
}

export function expectClose(what: string, actual: Float32Array, expected: ArrayLike<number>): void {
  for (let i = 0; i < expected.length; i++) {
    if (!(Math.abs(actual[i] - expected[i]) <= 1e-4 * (1 + Math.abs(expected[i])))) {
      throw new Error(`${what}: element ${i} is ${actual[i]} instead of ${expected[i]}`);
    }
  }
}

function waves(dims: readonly number[], phase: number): Float32Array {
  const data = allocateTensorData("float32", elementCount(dims));
  for (let i = 0; i < data.length; i++) data[i] = Math.sin(i * 0.7 + phase);
  return data;
}

function perRow(x: Float32Array, f: (row: Float32Array) => number): number[] {
  return Array.from({ length: x.length / WIDTH }, (_, r) => f(x.subarray(r * WIDTH, (r + 1) * WIDTH)));
}
