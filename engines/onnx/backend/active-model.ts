import { embeddingName } from "../../../core/formats/index.js";
import { type GraphModel, isTied, trainsEmbedding } from "../graphs/graph-model.js";
import { gradientFetch } from "../graphs/model-graph.js";
import type { OrtTensor } from "../runtime/index.js";
import type { ParameterStore, StoredParameter } from "./parameter-store.js";

/** A model as graphs compute it, with its memory. */
export interface ActiveModel {
  readonly graph: GraphModel;
  /** Parameters and the sums that gradients are added to, by graph name. */
  readonly feeds: Readonly<Record<string, OrtTensor>>;
  /** Those sums, where gradients come out of graphs. */
  readonly fetches: Readonly<Record<string, OrtTensor>>;
  /** Gradient to which the host adds that of embedded tokens; null: the embedding is frozen. */
  readonly embeddingGradient: Float32Array | null;
}

/** `base` holds the model; `trained` what is trained in its place or beside it, null: the base itself or nothing. */
export function activeModel(
  graph: GraphModel,
  base: ParameterStore,
  trained: ParameterStore | null = null,
): ActiveModel {
  const fetches = { ...(trained ?? base).fetches };
  const embedding = embeddingName(graph.config);
  // An embedding that is not the head as well has no other gradient than the one that the host adds.
  if (!isTied(graph)) delete fetches[gradientFetch(embedding)];
  return {
    graph,
    feeds: { ...base.feeds, ...trained?.feeds },
    fetches,
    embeddingGradient: trainsEmbedding(graph) ? base.gradients(base.find(embedding) as StoredParameter) : null,
  };
}
