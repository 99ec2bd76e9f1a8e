import type { ModelConfig } from "../../../core/formats/index.js";
import { Graph, type Ref } from "../ir/index.js";
import { decoder } from "../models/decoder.js";
import { ropeInput } from "../models/rope-tables.js";
import { decodeBlocks } from "./decode-blocks.js";
import { DecodeInitializers } from "./decode-initializers.js";
import { decodeHead } from "./decode-parameters.js";
import type { Quantization } from "./quantization.js";

/** Inputs and outputs of a decode graph; B rows of S new tokens each. */
export const DECODE = {
  /** int32 [B, S], right-padded. */
  ids: "ids",
  /** int64 [N]: cells of the flattened grid whose next-token logits are wanted. */
  wanted: "wanted",
  /** int64 [B, S]: index of each new token in its sequence; only in graphs that ask for it. */
  positions: "positions",
  /** float32 [N, V] */
  logits: "logits",
  past: (layer: number, kind: "key" | "value") => `past_${kind}_${layer}`,
  present: (layer: number, kind: "key" | "value") => `present_${kind}_${layer}`,
} as const;

/**
 * How one layer mixes tokens: the stacked projections [N, (heads + 2 · kvHeads) · headDim] → [N, heads · headDim]. `norm`
 * applies one of the model's norms over the last dimension.
 */
export type AttentionOp = (layer: number, qkv: Ref, norm: (x: Ref, module: string) => Ref) => Ref;

export interface DecodeInputs {
  readonly graph: Graph;
  readonly ids: Ref;
  /** Tables of the model's rotary embeddings. */
  readonly ropes: readonly { readonly cos: Ref; readonly sin: Ref }[];
  positions(): Ref;
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
 * differences of 1e-6 in the logits, and decoding is slower. Products with rounded weights keep to the same rule as long as
 * their inputs are rounded too (`checkQuantization` makes sure).
 */
export function decodeGraph(
  config: ModelConfig,
  attentionOf: (inputs: DecodeInputs) => AttentionOp,
  quantization: Quantization | null = null,
): Uint8Array {
  const g = new Graph("decode");
  const initializers = new DecodeInitializers(g, config, quantization);
  const inputs = gridInputs(g, config);
  const wanted = g.input(DECODE.wanted, ["N"], "int64");
  const blocks = decodeBlocks(config, initializers, inputs, attentionOf(inputs));
  const hidden = decoder(blocks, config);
  const last = blocks.norm(g.op("Gather", [hidden, wanted]), config.names.finalNorm);
  g.within("head", () => {
    const scaledRows = scaled(g, last, config.logitScale);
    const logits = initializers.product(scaledRows, decodeHead(config, quantization), null, false);
    g.output(capped(g, logits, config.logitSoftcap), DECODE.logits, ["N", config.vocabSize]);
  });
  return g.encode();
}

const scaled = (g: Graph, x: Ref, factor: number) => (factor === 1 ? x : g.op("Mul", [x, g.scalar(factor)]));

function capped(g: Graph, x: Ref, cap: number | null): Ref {
  if (cap === null) return x;
  return g.op("Mul", [g.op("Tanh", [g.op("Mul", [x, g.scalar(1 / cap)])]), g.scalar(cap)]);
}

function gridInputs(g: Graph, config: ModelConfig): DecodeInputs {
  const ids = g.input(DECODE.ids, ["B", "S"], "int32");
  const shape = g.op("Shape", [ids]);
  const table = (index: number, name: "cos" | "sin") => g.input(ropeInput(index, name), ["L", config.headDim / 2]);
  let positions: Ref | null = null;
  return {
    graph: g,
    ids,
    ropes: config.ropes.map((_, i) => ({ cos: table(i, "cos"), sin: table(i, "sin") })),
    positions() {
      positions ??= g.input(DECODE.positions, ["B", "S"], "int64");
      return positions;
    },
    toGrid: (rows, width) => g.op("Reshape", [rows, g.op("Concat", [shape, g.ints(width)], { axis: 0 })]),
    toRows: (grid, width) => g.op("Reshape", [grid, g.ints(-1, width)]),
  };
}
