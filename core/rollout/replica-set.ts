import { isVerlError, reasonOf } from "../host/errors.js";
import type { CallOptions } from "../host/types.js";
import { poolErrors } from "./pool-errors.js";
import type { MemoryTag, RolloutReplica } from "./rollout.js";

/**
 * Control calls on all replicas of a pool at once. Every replica gets every call, also when another fails; the failures
 * come back as one `VERL_ROLLOUT_REPLICA_FAILED` that names each replica. Where all of them refuse for one coded reason (a
 * model that cannot be read, an option), that reason is the error: it says what to correct, and no server is to blame.
 */
export interface ReplicaSet {
  readonly replicas: readonly RolloutReplica[];
  /** Also checks that the launched replicas have addresses of their own. Dispose the set when this rejects. */
  launch(options?: CallOptions): Promise<void>;
  sleep(level?: 1 | 2): Promise<void>;
  wakeUp(tags?: readonly MemoryTag[]): Promise<void>;
  abortAll(): Promise<void>;
  resumeGeneration(): Promise<void>;
  clearKvCache(): Promise<void>;
  releaseKvCache(): Promise<void>;
  resumeKvCache(): Promise<void>;
  setWeightVersion(version: number): Promise<void>;
  /** Requests in flight over all replicas. */
  readonly inFlight: number;
  dispose(): Promise<void>;
}

export function createReplicaSet(replicas: readonly RolloutReplica[]): ReplicaSet {
  const all = (call: string, run: (replica: RolloutReplica) => Promise<void>) => onEvery(replicas, call, run);
  return {
    replicas,
    async launch(options) {
      await all("launch", (r) => r.launch(options));
      checkAddresses(replicas);
    },
    sleep: (level) => all("sleep", (r) => r.sleep(level)),
    wakeUp: (tags) => all("wakeUp", (r) => r.wakeUp(tags)),
    abortAll: () => all("abortAll", (r) => r.abortAll()),
    resumeGeneration: () => all("resumeGeneration", (r) => r.resumeGeneration()),
    clearKvCache: () => all("clearKvCache", (r) => r.clearKvCache()),
    releaseKvCache: () => all("releaseKvCache", (r) => r.releaseKvCache()),
    resumeKvCache: () => all("resumeKvCache", (r) => r.resumeKvCache()),
    setWeightVersion: (version) => all("setWeightVersion", (r) => r.setWeightVersion(version)),
    get inFlight() {
      return replicas.reduce((sum, r) => sum + r.inFlight, 0);
    },
    dispose: () => all("dispose", (r) => r.dispose()),
  };
}

async function onEvery(
  replicas: readonly RolloutReplica[],
  call: string,
  run: (replica: RolloutReplica) => Promise<void>,
): Promise<void> {
  const settled = await Promise.allSettled(replicas.map(async (replica) => run(replica)));
  const failures = settled.flatMap((result, i) =>
    result.status === "rejected" ? [{ replica: replicas[i], reason: result.reason as unknown }] : [],
  );
  if (failures.length === 0) return;
  const [{ reason: first }] = failures;
  const isCommon =
    failures.length === replicas.length && failures.every(({ reason }) => reasonOf(reason) === reasonOf(first));
  if (isCommon && isVerlError(first)) throw first;
  throw poolErrors.VERL_ROLLOUT_REPLICA_FAILED({
    what: `${call} failed on ${failures.length} of ${replicas.length} inference servers`,
    where: failures.map(({ replica }) => nameOf(replica)).join(", "),
    why: failures.map(({ replica, reason }) => `${nameOf(replica)}: ${reasonOf(reason)}`).join("; "),
    cause: failures.length === 1 ? failures[0].reason : new AggregateError(failures.map((f) => f.reason)),
  });
}

function checkAddresses(replicas: readonly RolloutReplica[]): void {
  const byAddress = new Map<string, RolloutReplica>();
  for (const replica of replicas) {
    if (replica.address === "") {
      throw poolErrors.VERL_ROLLOUT_NO_ADDRESS({ what: `replica ${replica.replicaRank} has no address after launch` });
    }
    const other = byAddress.get(replica.address);
    if (other) {
      throw poolErrors.VERL_ROLLOUT_DUPLICATE_ADDRESS({
        what: `replicas ${other.replicaRank} and ${replica.replicaRank} both have the address ${replica.address}`,
      });
    }
    byAddress.set(replica.address, replica);
  }
}

const nameOf = (replica: RolloutReplica) =>
  `replica ${replica.replicaRank}${replica.address ? ` (${replica.address})` : ""}`;
