import type { GenerateRequest, RolloutReplica, TokenOutput } from "../../../core/rollout/index.js";

export interface FakeReplica extends RolloutReplica {
  readonly calls: string[];
  readonly requests: GenerateRequest[];
}

/** A replica that records its calls and answers every request with the tokens 7, 8. */
export function fakeReplica(rank: number, overrides: Partial<RolloutReplica> = {}): FakeReplica {
  const calls: string[] = [];
  const requests: GenerateRequest[] = [];
  const note =
    (name: string) =>
    async (...args: unknown[]): Promise<void> => {
      calls.push(args.length > 0 && args[0] !== undefined ? `${name}(${JSON.stringify(args[0])})` : name);
    };
  return {
    calls,
    requests,
    replicaRank: rank,
    address: `fake:${rank}`,
    capabilities: {
      sleepLevels: [1],
      adapters: false,
      deltaWeights: false,
      priority: false,
      http: false,
      logProbs: true,
    },
    launch: note("launch"),
    async generate(request): Promise<TokenOutput> {
      requests.push(request);
      return {
        tokenIds: [7, 8],
        logProbs: [-1, -2],
        stopReason: "stop",
        minWeightVersion: 3,
        maxWeightVersion: 3,
      };
    },
    abortAll: note("abortAll"),
    resumeGeneration: note("resumeGeneration"),
    sleep: note("sleep"),
    wakeUp: note("wakeUp"),
    clearKvCache: note("clearKvCache"),
    releaseKvCache: note("releaseKvCache"),
    resumeKvCache: note("resumeKvCache"),
    weightVersion: 3,
    setWeightVersion: note("setWeightVersion"),
    inFlight: rank,
    dispose: note("dispose"),
    ...overrides,
  };
}
