import type { ModelConfig } from "../../../core/formats/index.js";
import type { Autodiff, Ref } from "../ir/index.js";
import { appendZeroRow } from "./layers.js";
import { ropeInput } from "./rope-tables.js";

/**
 * How the tokens of a micro-batch lie in memory. Attention works on the padded grid [B, T]; everything else works on rows.
 *
 * - `padded`: rows are the grid's cells, N = B · T. Nothing to convert; padding is computed along.
 * - `packed`: rows are the tokens alone, N = Σ lengths, and move to and from the grid around each attention.
 */
export type LayoutKind = "padded" | "packed";

export interface TokenLayout {
  /** Token ids of the rows, [N]. */
  readonly ids: Ref;
  /** T, a scalar. */
  readonly length: Ref;
  /** [2]: B and T. */
  readonly gridShape: Ref;
  /** Tables of the model's rotary embeddings, positions ≥ T. */
  readonly ropes: readonly { readonly cos: Ref; readonly sin: Ref; readonly negSin: Ref }[];
  /** [N, width] → [B, T, width] */
  toGrid(rows: Ref, width: number): Ref;
  /** [B, T, width] → [N, width] */
  toRows(grid: Ref, width: number): Ref;
}

/** Names of the graph inputs that describe a layout, int32. */
export const LAYOUT_FEEDS = {
  /** Row ids, [N]. */
  ids: "ids",
  /** Row of each cell, [B, T]; N (packed) for padding. Its shape gives B and T in both kinds. */
  grid: "grid",
  /** Cell of each row, [N]; packed only. */
  cells: "cells",
} as const;

export function tokenLayout(ad: Autodiff, config: ModelConfig, kind: LayoutKind): TokenLayout {
  const g = ad.graph;
  const ids = g.input(LAYOUT_FEEDS.ids, ["N"], "int32");
  const grid = g.input(LAYOUT_FEEDS.grid, ["B", "T"], "int32");
  const ropes = config.ropes.map((_, i) => {
    const [cos, sin, negSin] = (["cos", "sin", "negSin"] as const).map((table) =>
      g.input(ropeInput(i, table), ["P", config.headDim / 2]),
    );
    return { cos, sin, negSin };
  });
  const gridShape = g.op("Shape", [grid]);
  const length = g.op("Squeeze", [g.op("Shape", [grid], { start: 1 }), g.ints(0)]);
  const shapeOf = (width: number) => g.op("Concat", [gridShape, g.ints(width)], { axis: 0 });
  const flat = (x: Ref, width: number) => g.op("Reshape", [x, g.ints(-1, width)]);

  if (kind === "padded") {
    const unflat = (x: Ref, width: number) => g.op("Reshape", [x, shapeOf(width)]);
    return {
      ids,
      length,
      gridShape,
      ropes,
      toGrid: (rows, width) => ad.record(unflat(rows, width), [rows], (dy) => [() => flat(dy, width)]),
      toRows: (cells, width) => ad.record(flat(cells, width), [cells], (dy) => [() => unflat(dy, width)]),
    };
  }
  const cells = g.input(LAYOUT_FEEDS.cells, ["N"], "int32");
  const scatter = (rows: Ref, width: number) => g.op("Gather", [appendZeroRow(g, rows, width), grid]);
  const collect = (x: Ref, width: number) => g.op("Gather", [flat(x, width), cells]);
  return {
    ids,
    length,
    gridShape,
    ropes,
    toGrid: (rows, width) => ad.record(scatter(rows, width), [rows], (dy) => [() => collect(dy, width)]),
    toRows: (x, width) => ad.record(collect(x, width), [x], (dy) => [() => scatter(dy, width)]),
  };
}
