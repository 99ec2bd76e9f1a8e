import { type LoraShape, loraNames, loraScale, type ModelConfig, weightOf } from "../../../core/formats/index.js";
import type { CallOptions, NamedTensor } from "../../../core/plugin.js";
import type { ParameterStore, StoredParameter } from "../backend/parameter-store.js";
import { Graph } from "../ir/index.js";
import type { CompileGraph } from "../optimizer/muon.js";
import { allocateTensorData, type OrtRuntime } from "../runtime/index.js";

const MERGE = { weight: "weight", a: "a", b: "b", merged: "merged" } as const;

/** W + s · B A, or its transpose where weights are [inputs, outputs]. */
function mergeGraph(scale: number, transposed: boolean): Graph {
  const g = new Graph("merge");
  const weight = g.input(MERGE.weight, ["M", "N"]);
  const a = g.input(MERGE.a, ["R", transposed ? "M" : "N"]);
  const b = g.input(MERGE.b, [transposed ? "N" : "M", "R"]);
  const alpha = { float: scale };
  const merged = transposed
    ? g.op("Gemm", [a, b, weight], { alpha, transA: 1, transB: 1 })
    : g.op("Gemm", [b, a, weight], { alpha });
  g.output(merged, MERGE.merged, ["M", "N"]);
  return g;
}

export interface MergeContext {
  readonly config: ModelConfig;
  readonly base: ParameterStore;
  readonly runtime: OrtRuntime;
  readonly compile: CompileGraph;
}

/** The model's parameters with an adapter in them, in one buffer that the next tensor overwrites. */
export async function* mergedParameters(
  { config, base, runtime, compile }: MergeContext,
  shape: LoraShape,
  adapter: ParameterStore,
  { signal }: CallOptions = {},
): AsyncGenerator<NamedTensor> {
  const { transposedWeights: transposed } = config;
  const scale = loraScale(shape);
  const session = await compile(`merge|${scale}|${transposed}`, () => mergeGraph(scale, transposed));
  const modules = new Map(shape.modules.map((module) => [weightOf(module), loraNames(module)]));
  let buffer: Float32Array = new Float32Array(0);
  for (const parameter of base.parameters) {
    signal?.throwIfAborted();
    const { name, shape: dims, length } = parameter;
    const own = adapter.find(name);
    const matrices = modules.get(name);
    let data = own ? adapter.values(own) : base.values(parameter);
    if (matrices) {
      if (buffer.length < length) buffer = allocateTensorData("float32", length);
      data = buffer.subarray(0, length);
      const merged = runtime.tensor("float32", dims, data);
      const feed = (of: string) => adapter.feeds[(adapter.find(of) as StoredParameter).name];
      try {
        const feeds = {
          [MERGE.weight]: base.feeds[name],
          [MERGE.a]: feed(matrices.a),
          [MERGE.b]: feed(matrices.b),
        };
        await session.run(feeds, { [MERGE.merged]: merged });
      } finally {
        merged.release();
      }
    }
    yield { name, dtype: "f32", shape: dims, data };
  }
}
