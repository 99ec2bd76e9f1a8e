import { Graph, type Ref } from "../../engines/onnx/ir/index.js";
import { openOrtRuntime } from "../../engines/onnx/runtime/index.js";
import { milliseconds, summary } from "../figures.js";
import type { PythonProcess } from "../python-process.js";

/** Rates of float32 products in GFLOP/s, medians. */
export interface GemmRates {
  readonly onnxruntime: number;
  readonly torch: number | null;
  /** torch's rate to ours. */
  readonly ratio: number | null;
}

/** Sizes of a linear map: x [tokens, inputs], W [outputs, inputs]. */
export interface LinearSize {
  readonly tokens: number;
  readonly inputs: number;
  readonly outputs: number;
}

/**
 * The three products of a linear map in training, y = x Wᵀ, dx = dy W and dW = dyᵀ x, taking turns with PyTorch's: the
 * rate of all three together.
 */
export async function gemmRates(
  { tokens, inputs, outputs }: LinearSize,
  threads: number,
  rounds: number,
  torch: PythonProcess | null,
): Promise<GemmRates> {
  const runtime = await openOrtRuntime();
  const matrix = (rows: number, columns: number) =>
    runtime.tensor(
      "float32",
      [rows, columns],
      Float32Array.from({ length: rows * columns }, () => Math.random() - 0.5),
    );
  const product = async (a: [number, number], b: [number, number], y: [number, number], attributes: object) => {
    const graph = new Graph("product");
    const [left, right]: Ref[] = [graph.input("a", a), graph.input("b", b)];
    graph.output(graph.op("Gemm", [left, right], { ...attributes }), "y", y);
    const session = await runtime.createSession(graph.encode(), { threads });
    const feeds = { a: matrix(...a), b: matrix(...b) };
    const fetches = { y: matrix(...y) };
    return {
      run: () => session.run(feeds, fetches),
      async release() {
        for (const tensor of [...Object.values(feeds), fetches.y]) tensor.release();
        await session.release();
      },
    };
  };
  const products = [
    await product([tokens, inputs], [outputs, inputs], [tokens, outputs], { transB: 1 }),
    await product([tokens, outputs], [outputs, inputs], [tokens, inputs], {}),
    await product([tokens, outputs], [tokens, inputs], [outputs, inputs], { transA: 1 }),
  ];
  const [ours, theirs]: [number[], number[]] = [[], []];
  // A few products in a row, for a single one is short.
  const repeats = Math.max(1, Math.round(2e9 / (tokens * inputs * outputs)));
  for (let round = 0; round <= rounds; round++) {
    const ms = await milliseconds(async () => {
      for (let i = 0; i < repeats; i++) for (const { run } of products) await run();
    });
    const times = torch
      ? (await torch.call<{ times: number[] }>({ do: "products", threads, tokens, inputs, outputs, repeats })).times
      : [];
    // The first round warms up.
    if (round === 0) continue;
    ours.push(ms / repeats);
    theirs.push(...times);
  }
  for (const { release } of products) await release();
  const rate = (times: readonly number[]) => (6 * tokens * inputs * outputs) / summary(times).median / 1e6;
  const onnxruntime = rate(ours);
  return torch
    ? { onnxruntime, torch: rate(theirs), ratio: rate(theirs) / onnxruntime }
    : { onnxruntime, torch: null, ratio: null };
}
