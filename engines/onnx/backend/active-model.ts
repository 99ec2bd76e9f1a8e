import { embeddingName } from "../../../core/formats/index.js";
import { type GraphModel, isTied, trainsEmbedding } from "../graphs/graph-model.js";
import { gradientFetch } from "../graphs/model-graph.js";
import type { OrtTensor } from "../runtime/index.js";
import type { ParameterStore, StoredParameter } from "./parameter-store.js";

/** A model as graphs compute it, with its memory. */
export interface ActiveModel {
  readonly graph: GraphModel;
  /** Parameters and the sums that gradients are added to, by graph name, as they are before the next run. */
  readonly feeds: Readonly<Record<string, OrtTensor>>;
  /** Where those sums come out of graphs. */
  readonly fetches: Readonly<Record<string, OrtTensor>>;
  /** Gradient to which the host adds that of embedded tokens; null: the embedding is frozen. */
  readonly embeddingGradient: Float32Array | null;
  /** Before a run. */
  prepare(): Promise<void>;
  /** After a run that has written sums. */
  wrote(fetched: Iterable<string>): void;
}

/** `base` holds the model; `trained` what is trained in its place or beside it, null: the base itself or nothing. */
export function activeModel(
  graph: GraphModel,
  base: ParameterStore,
  trained: ParameterStore | null = null,
): ActiveModel {
  const embedding = embeddingName(graph.config);
  const summed = trained ?? base;
  return {
    graph,
    get feeds() {
      return { ...memoryOf(base).feeds, ...(trained ? memoryOf(trained).feeds : {}) };
    },
    get fetches() {
      const fetches = { ...memoryOf(summed).fetches };
      // An embedding that is not the head as well has no other gradient than the one that the host adds.
      if (!isTied(graph)) delete fetches[gradientFetch(embedding)];
      return fetches;
    },
    embeddingGradient: trainsEmbedding(graph) ? base.gradients(base.find(embedding) as StoredParameter) : null,
    async prepare() {
      for (const store of new Set([base, summed])) await store.onDevice?.sync();
    },
    wrote: (fetched) => summed.onDevice?.wrote(fetched),
  };
}

const memoryOf = (store: ParameterStore) => store.onDevice ?? store;
