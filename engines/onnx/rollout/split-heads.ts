import { layerNames, type ModelConfig } from "../../../core/formats/index.js";
import type { Graph, Ref } from "../ir/index.js";

/** Queries, keys and values of one layer from the stacked projections, [N, heads · headDim] each, with their norms. */
export function splitHeads(
  g: Graph,
  config: ModelConfig,
  layer: number,
  qkv: Ref,
  norm: (x: Ref, module: string) => Ref,
): [query: Ref, key: Ref, value: Ref] {
  const { numHeads, numKvHeads, headDim } = config;
  const { queryNorm, keyNorm } = layerNames(config, layer);
  const keyWidth = numKvHeads * headDim;
  const [q, k, v] = g.opMany("Split", [qkv, g.ints(numHeads * headDim, keyWidth, keyWidth)], 3, { axis: 1 });
  const eachHead = (x: Ref, heads: number, module: string | undefined) => {
    if (module === undefined) return x;
    const normed = norm(g.op("Reshape", [x, g.ints(-1, heads, headDim)]), module);
    return g.op("Reshape", [normed, g.ints(-1, heads * headDim)]);
  };
  return [eachHead(q, numHeads, queryNorm), eachHead(k, numKvHeads, keyNorm), v];
}
