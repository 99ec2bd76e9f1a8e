import { hashText } from "../data/random.js";
import { poolErrors } from "./pool-errors.js";
import type { LoadBalancer, RolloutReplica } from "./rollout.js";

export interface BalancerOptions {
  /** Routes kept; the least recently used is forgotten first. */
  readonly stickyCapacity?: number;
  /** `rollout.full_determinism`: the choice depends on the request id alone, never on what else is in flight. */
  readonly fullDeterminism?: boolean;
}

interface Server {
  readonly replica: RolloutReplica;
  inFlight: number;
}

/** The balancer of the `LoadBalancer` contract; one is shared by every client of a pool. */
export function createLoadBalancer(options: BalancerOptions = {}): LoadBalancer {
  const { stickyCapacity = 10_000, fullDeterminism = false } = options;
  const servers = new Map<string, Server>();
  // A Map iterates in insertion order, so re-inserting on use makes the first key the least recently used.
  const sticky = new Map<string, string>();

  function route(requestId: string): Server {
    const known = sticky.get(requestId);
    sticky.delete(requestId);
    const server = known === undefined ? undefined : servers.get(known);
    return server ?? (fullDeterminism ? byHash(requestId) : leastBusy());
  }

  function byHash(requestId: string): Server {
    return [...servers.values()][hashText(requestId) % servers.size];
  }

  function leastBusy(): Server {
    return [...servers.values()].reduce((best, server) => (server.inFlight < best.inFlight ? server : best));
  }

  return {
    acquire(requestId) {
      if (servers.size === 0) {
        throw poolErrors.VERL_ROLLOUT_NO_SERVER({ what: `no server can take request ${requestId}` });
      }
      const server = route(requestId);
      const { address } = server.replica;
      sticky.set(requestId, address);
      if (sticky.size > stickyCapacity) sticky.delete(sticky.keys().next().value as string);
      server.inFlight++;
      return { address, replica: server.replica };
    },
    release(address) {
      const server = servers.get(address);
      if (server && server.inFlight > 0) server.inFlight--;
    },
    add(replica) {
      const { address, replicaRank } = replica;
      if (address === "") {
        throw poolErrors.VERL_ROLLOUT_NO_ADDRESS({
          what: `replica ${replicaRank} has no address`,
          why: "it was not launched",
        });
      }
      const known = servers.get(address);
      if (known && known.replica !== replica) {
        throw poolErrors.VERL_ROLLOUT_DUPLICATE_ADDRESS({
          what: `replicas ${known.replica.replicaRank} and ${replicaRank} both have the address ${address}`,
        });
      }
      if (!known) servers.set(address, { replica, inFlight: 0 });
    },
    remove(address) {
      servers.delete(address);
      for (const [requestId, target] of sticky) if (target === address) sticky.delete(requestId);
    },
    clearSticky() {
      const count = sticky.size;
      sticky.clear();
      return count;
    },
    get size() {
      return servers.size;
    },
  };
}
