import type { CallOptions } from "../../host/types.js";
import type { EngineBackend } from "../backend.js";
import type { AdapterChanges } from "../engine.js";

/** A further rank, wherever it runs: it computes on its share of a batch with the parameters that the first rank has. */
export interface EngineReplica
  extends Pick<EngineBackend, "load" | "forward" | "backward" | "fused" | "zeroGrad" | "dispose"> {
  readonly adapters?: AdapterChanges;
}

/** Ranks 1, 2, … of an engine, and what goes between them and the first. */
export interface ReplicaGroup {
  readonly replicas: readonly EngineReplica[];
  /** Adds the gradients of every replica to those of `first`, in the order of ranks, and clears theirs. */
  reduceGradients(first: EngineBackend, options?: CallOptions): Promise<void>;
  /** Gives every replica the parameters of `first`. */
  broadcastParameters(first: EngineBackend): Promise<void>;
}
