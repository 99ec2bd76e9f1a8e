import {
  type GlobalCounts,
  type LossFunction,
  type MetricReduction,
  type OutputName,
  outputExtent,
} from "../../../core/plugin.js";
import type { Graph, Ref } from "../ir/index.js";
import { GraphAlgebra } from "../loss/graph-algebra.js";
import { HEAD_OUTPUTS } from "../models/head.js";
import type { GraphModel } from "./graph-model.js";
import { type GraphVariant, ModelGraph } from "./model-graph.js";
import { outputFetch } from "./two-phase-graphs.js";

/** Feeds of a lowered loss: float32 unless noted. */
export const LOSS_FEEDS = {
  /** [R] */
  mask: "loss:mask",
  /** Sequence of each token, int32 [R]. */
  sequenceOfToken: "loss:sequence_of_token",
  /** Tokens of each sequence, int32 [B, longest]; R for padding. */
  tokensOfSequence: "loss:tokens_of_sequence",
} as const;
/** [R] or [B] */
export const columnFeed = (name: string) => `loss:column:${name}`;
/** Scalar. */
export const countFeed = (name: keyof GlobalCounts) => `loss:count:${name}`;
export const LOSS_FETCH = "loss";
/** Scalar. */
export const metricFetch = (name: string) => `metric:${name}`;

/** Extents of the batch's columns, by name. */
export type ColumnExtents = ReadonlyMap<string, "token" | "sequence">;

export interface FusedGraph {
  readonly graph: Graph;
  /** Metrics that the loss reports, with the rules that combine them. */
  readonly metrics: Readonly<Record<string, MetricReduction>>;
  /** The loss compares the two rows of a pair. */
  readonly comparesPairs: boolean;
}

/**
 * Forward pass, loss and backward pass in one graph. Null when there is nothing to differentiate, the head does not compute
 * an output, a sequence has several scores, or loss or metrics are no scalars: the two-phase path runs such a loss, or says
 * what is wrong.
 */
export function fusedGraph(
  trained: GraphModel,
  variant: GraphVariant,
  loss: LossFunction,
  extents: ColumnExtents,
): FusedGraph | null {
  const { config } = trained;
  const wanted = HEAD_OUTPUTS[config.head].filter((name) => loss.outputs.includes(name));
  if (wanted.length < loss.outputs.length || (config.head === "scores" && config.headSize > 1)) return null;
  const model = new ModelGraph("fused", trained, variant, "backward");
  const computed = model.forward(wanted);
  return model.graph.within("loss", () => addLoss(model, computed, variant, loss, extents));
}

function addLoss(
  model: ModelGraph,
  computed: ReadonlyMap<OutputName, Ref>,
  variant: GraphVariant,
  loss: LossFunction,
  extents: ColumnExtents,
): FusedGraph | null {
  const { graph: g } = model;
  const padding = rowPadding(g, model.targets, variant.chunks);

  const outputs = new Map([...computed].map(([name, ref]) => [name, padding.remove(ref)]));
  const algebra = new GraphAlgebra(g, lossSources(g, outputs, padding.mask, extents));
  const terms = loss.build(algebra);
  const metrics = Object.entries(terms.metrics).map(([name, metric]) => ({
    name,
    metric,
    ref: algebra.metric(metric),
  }));
  if (terms.loss.extent !== "scalar" || metrics.some(({ ref }) => ref === null)) return null;
  const byRef = algebra.backward(terms.loss, [...outputs.values()]);
  const gradients = new Map<OutputName, Ref>();
  for (const [name, ref] of outputs) {
    const gradient = byRef.get(ref);
    if (gradient) gradients.set(name, padding.restore(gradient));
  }
  if (gradients.size === 0) return null;

  g.output(algebra.refOf(terms.loss), LOSS_FETCH, []);
  for (const { name, ref } of metrics) g.output(ref as Ref, metricFetch(name), []);
  for (const [name, ref] of outputs) g.output(ref, outputFetch(name), [outputExtent(name) === "sequence" ? "B" : "R"]);
  model.backward(gradients);
  return {
    graph: g,
    metrics: Object.fromEntries(metrics.map(({ name, metric }) => [name, metric.reduction])),
    comparesPairs: algebra.comparesPairs,
  };
}

function lossSources(g: Graph, outputs: ReadonlyMap<OutputName, Ref>, mask: Ref, extents: ColumnExtents) {
  const declared = new Map<string, Ref>();
  const once = (name: string, dims: readonly string[]) => {
    const ref = declared.get(name) ?? g.input(name, dims);
    declared.set(name, ref);
    return ref;
  };
  return {
    mask,
    output: (name: OutputName) => outputs.get(name) as Ref,
    column: (name: string) => {
      const extent = extents.get(name) ?? "token";
      return { extent, ref: once(columnFeed(name), extent === "token" ? ["R"] : ["B"]) };
    },
    count: (name: keyof GlobalCounts) => once(countFeed(name), []),
    sequenceOfToken: g.input(LOSS_FEEDS.sequenceOfToken, ["R"], "int32"),
    tokensOfSequence: g.input(LOSS_FEEDS.tokensOfSequence, ["B", "Longest"], "int32"),
  };
}

/** Between the head's rows, padded to a multiple of the chunk count, and the loss's tokens. */
function rowPadding(g: Graph, targets: Ref | null, chunks: number) {
  const mask = g.input(LOSS_FEEDS.mask, ["R"]);
  if (targets === null || chunks === 1) return { mask, remove: (x: Ref) => x, restore: (x: Ref) => x };
  const tokens = g.op("Shape", [mask]);
  return {
    mask,
    remove: (x: Ref) => g.op("Slice", [x, g.ints(0), tokens, g.ints(0)]),
    restore(x: Ref): Ref {
      const missing = g.op("Sub", [g.op("Shape", [targets]), tokens]);
      return g.op("Concat", [x, g.op("ConstantOfShape", [missing])], { axis: 0 });
    },
  };
}
