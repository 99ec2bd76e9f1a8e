import { reasonOf, rolloutErrors } from "../../../core/plugin.js";
import { Graph } from "../ir/index.js";
import { allocateTensorData, type OrtRuntime } from "../runtime/index.js";
import { type Quantization, WEIGHT_BITS, type WeightBits } from "./quantization.js";
import { QuantizedMatrix } from "./quantized-matrix.js";
import { quantizedProduct } from "./quantized-product.js";

const MATRIX = { inputs: 120, outputs: 70 };
/** Numbers of rows for which onnxruntime has kernels of their own. */
const COMPANIES = [1, 2, 3, 4, 5, 8, 17];
const ROWS = Math.max(...COMPANIES);
/** Rounding both sides to 8 bits costs far less; a wrong layout costs everything. Share of the root mean square. */
const TOLERANCE: Readonly<Record<WeightBits, number>> = { 8: 0.05, 4: 0.3 };

/**
 * Products with rounded weights need kernels that not every processor has; what onnxruntime does in their place may depend on
 * the number of rows. So a server tries them before it serves: right results, and the same bits alone and in company.
 */
export async function checkQuantization(runtime: OrtRuntime, quantization: Quantization): Promise<void> {
  for (const bits of new Set(Object.values(WEIGHT_BITS[quantization]))) {
    try {
      await checkProducts(runtime, bits);
    } catch (cause) {
      throw rolloutErrors.VERL_ROLLOUT_NO_QUANTIZATION({
        what: `This machine cannot sample with weights of ${bits} bits (rollout.quantization = ${quantization})`,
        why: reasonOf(cause),
        cause,
      });
    }
  }
}

async function checkProducts(runtime: OrtRuntime, bits: WeightBits): Promise<void> {
  const { inputs, outputs } = MATRIX;
  const values = Float32Array.from({ length: inputs * outputs }, (_, i) => Math.sin(i * 0.37) * (1 + (i % 7)));
  const matrix = new QuantizedMatrix("w", MATRIX, bits);
  matrix.write(values);
  const externalInitializers = Object.fromEntries(
    matrix.initializers().map(([name, { dtype, shape, data }]) => [name, runtime.tensor(dtype, shape, data)]),
  );
  const g = new Graph("quantization check");
  g.output(quantizedProduct(g, "w", MATRIX, bits)(g.input("x", ["N", inputs]), null), "y", ["N", outputs]);
  const session = await runtime.createSession(g.encode(), { threads: 2, externalInitializers });
  const rows_NK = Float32Array.from({ length: ROWS * inputs }, (_, i) => Math.cos(i * 1.7) + 0.1 * (i % 5));
  let alone: Float32Array | null = null;
  try {
    for (const count of COMPANIES) {
      const x = runtime.tensor("float32", [count, inputs], rows_NK.slice(0, count * inputs));
      const y = runtime.tensor("float32", [count, outputs], allocateTensorData("float32", count * outputs));
      await session.run({ x }, { y });
      const first = y.data.slice(0, outputs);
      alone ??= first;
      x.release();
      y.release();
      if (first.some((value, i) => value !== alone?.[i])) {
        throw new Error(`a product of ${count} rows gives the first one other bits than alone`);
      }
      compare(y.data, rows_NK, values, TOLERANCE[bits]);
    }
  } finally {
    await session.release();
    for (const tensor of Object.values(externalInitializers)) tensor.release();
  }
}

function compare(y: Float32Array, rows: Float32Array, weights: Float32Array, tolerance: number): void {
  const { inputs, outputs } = MATRIX;
  let [difference, size] = [0, 0];
  for (let i = 0; i < y.length; i++) {
    const [row, output] = [Math.floor(i / outputs), i % outputs];
    let exact = 0;
    for (let k = 0; k < inputs; k++) exact += rows[row * inputs + k] * weights[output * inputs + k];
    difference += (y[i] - exact) ** 2;
    size += exact ** 2;
  }
  const error = Math.sqrt(difference / size);
  if (!(error <= tolerance)) throw new Error(`products are off by ${(100 * error).toFixed(0)} %`);
}
