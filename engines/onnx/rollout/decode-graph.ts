import { EMBEDDING, FINAL_NORM, LM_HEAD, type ModelConfig } from "../../../core/formats/index.js";
import { Graph, MICROSOFT, type Ref } from "../ir/index.js";
import { decodeParameters, QKV } from "./decode-parameters.js";

/** Inputs and outputs of a decode graph; B rows of S new tokens each. */
export const DECODE = {
  /** int32 [B, S], right-padded. */
  ids: "ids",
  /** int64 [N]: cells of the flattened grid whose next-token logits are wanted. */
  wanted: "wanted",
  ropeCos: "rope_cos",
  ropeSin: "rope_sin",
  /** float32 [N, V] */
  logits: "logits",
  past: (layer: number, kind: "key" | "value") => `past_${kind}_${layer}`,
  present: (layer: number, kind: "key" | "value") => `present_${kind}_${layer}`,
} as const;

/** How one layer mixes tokens: the stacked projections [N, (heads + 2 · kvHeads) · headDim] → [N, heads · headDim]. */
export type AttentionOp = (layer: number, qkv: Ref, io: DecodeInputs) => Ref;

export interface DecodeInputs {
  readonly graph: Graph;
  readonly ids: Ref;
  readonly cos: Ref;
  readonly sin: Ref;
  /** [N, width] → [B, S, width] */
  toGrid(rows: Ref, width: number): Ref;
  toRows(grid: Ref, width: number): Ref;
}

/**
 * A decoder that appends tokens to a cache and gives logits for chosen ones. The training graph computes the same
 * function without a cache.
 *
 * Weights are initializers, given when the session is made: onnxruntime packs them once, and its packed products give
 * the same bits for any number of rows and threads. Weights fed as inputs would save making a session per update (10 ns
 * per parameter), but their products take other paths for one row and for narrow outputs split over threads: measured
 * differences of 1e-6 in the logits, and decoding is slower.
 */
export function decodeGraph(config: ModelConfig, attentionOf: (inputs: DecodeInputs) => AttentionOp): Uint8Array {
  const g = new Graph("decode");
  const parameters = new Map<string, Ref>();
  for (const { name, shape } of decodeParameters(config)) {
    const length = 4 * shape.reduce((n, d) => n * d, 1);
    parameters.set(name, g.initializer(name, shape, { location: name, offset: 0, length }));
  }
  const parameter = (name: string) => parameters.get(name) as Ref;
  const linear = (x: Ref, name: string) => g.op("Gemm", [x, parameter(name)], { transB: 1 });
  const epsilon = { float: config.rmsNormEps };
  const norm = (x: Ref, name: string) =>
    g.op("SimplifiedLayerNormalization", [x, parameter(name)], { axis: -1, epsilon, stash_type: 1 });

  const inputs = gridInputs(g, config);
  const wanted = g.input(DECODE.wanted, ["N"], "int64");
  const attention = attentionOf(inputs);
  let x = g.op("Gather", [parameter(EMBEDDING), g.op("Reshape", [inputs.ids, g.ints(-1)])]);
  for (let layer = 0; layer < config.numLayers; layer++) {
    const prefix = `model.layers.${layer}`;
    const qkv = linear(norm(x, `${prefix}.input_layernorm.weight`), `${prefix}.${QKV}`);
    x = g.op("Add", [x, linear(attention(layer, qkv, inputs), `${prefix}.self_attn.o_proj.weight`)]);
    const m = norm(x, `${prefix}.post_attention_layernorm.weight`);
    // QuickGelu with alpha 1 is x · sigmoid(x), in one pass.
    const silu = g.op("QuickGelu", [linear(m, `${prefix}.mlp.gate_proj.weight`)], { alpha: { float: 1 } }, MICROSOFT);
    const product = g.op("Mul", [silu, linear(m, `${prefix}.mlp.up_proj.weight`)]);
    x = g.op("Add", [x, linear(product, `${prefix}.mlp.down_proj.weight`)]);
  }
  const last = norm(g.op("Gather", [x, wanted]), FINAL_NORM);
  g.output(linear(last, config.tieWordEmbeddings ? EMBEDDING : LM_HEAD), DECODE.logits, ["N", config.vocabSize]);
  return g.encode();
}

function gridInputs(g: Graph, config: ModelConfig): DecodeInputs {
  const ids = g.input(DECODE.ids, ["B", "S"], "int32");
  const shape = g.op("Shape", [ids]);
  return {
    graph: g,
    ids,
    cos: g.input(DECODE.ropeCos, ["L", config.headDim / 2]),
    sin: g.input(DECODE.ropeSin, ["L", config.headDim / 2]),
    toGrid: (rows, width) => g.op("Reshape", [rows, g.op("Concat", [shape, g.ints(width)], { axis: 0 })]),
    toRows: (grid, width) => g.op("Reshape", [grid, g.ints(-1, width)]),
  };
}
