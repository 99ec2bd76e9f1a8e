import type { BaseEngine } from "../../engine/engine.js";
import type { ReplicaSet } from "../../rollout/index.js";
import type { ServerAdapter } from "../../rollout/rollout.js";
import { pushWeights } from "../../transfer/index.js";

/** Moves the actor's weights to the servers and lets the servers rest while the actor trains. */
export interface WeightSync {
  /** Version that every server holds; −1 before the first push. */
  readonly version: number;
  /** Push the actor's weights under `version`, waking the servers. */
  push(version: number, signal: AbortSignal): Promise<void>;
  /** Free what the servers can spare until the next push. */
  sleep(): Promise<void>;
  /** Make the servers answer again without new weights, for a validation between a step and its push. */
  wake(): Promise<void>;
}

/** Trainer and servers share this process: weights are copied once, in memory. */
export function naiveWeightSync(options: {
  readonly engine: BaseEngine;
  readonly replicas: ReplicaSet;
  readonly adapters: readonly ServerAdapter[];
}): WeightSync {
  const { engine, replicas, adapters } = options;
  let version = -1;
  let asleep = false;
  return {
    get version() {
      return version;
    },
    async push(next, signal) {
      await pushWeights({ engine, adapters, version: next, signal });
      if (asleep) await replicas.wakeUp();
      asleep = false;
      version = next;
    },
    async sleep() {
      await replicas.sleep(1);
      asleep = true;
    },
    async wake() {
      if (asleep) await replicas.wakeUp();
      asleep = false;
    },
  };
}
