import type { CallOptions } from "../host/types.js";
import type { GenerateRequest, LlmClient, LoadBalancer, SamplingParams, TokenOutput } from "./rollout.js";

export interface LlmClientOptions {
  readonly balancer: LoadBalancer;
  /** Limits of the run, in tokens: the budget of a request that names none comes from them. */
  readonly promptLength: number;
  readonly responseLength: number;
}

/**
 * A client that sends every request once to the server that the balancer picks. An abort ends the request as `aborted`
 * with the tokens drawn so far. A prompt that leaves no room for a new token is answered here, as `length` without
 * tokens.
 */
export function createLlmClient(options: LlmClientOptions): LlmClient {
  const { balancer } = options;
  return {
    async generate(request: GenerateRequest, call?: CallOptions): Promise<TokenOutput> {
      call?.signal?.throwIfAborted();
      const maxTokens = tokenBudget(request, options);
      const { address, replica } = balancer.acquire(request.requestId);
      try {
        if (maxTokens <= 0) return withoutTokens(request.sampling, replica.weightVersion);
        return await replica.generate({ ...request, sampling: { ...request.sampling, maxTokens } }, call);
      } finally {
        balancer.release(address);
      }
    },
  };
}

/**
 * New tokens that a request may draw: its own limit, else `responseLength`, or what a longer prompt has left of
 * `promptLength + responseLength`.
 */
export function tokenBudget(
  request: GenerateRequest,
  limits: { readonly promptLength: number; readonly responseLength: number },
): number {
  const left = limits.promptLength + limits.responseLength - request.promptIds.length;
  return request.sampling.maxTokens ?? Math.min(limits.responseLength, left);
}

function withoutTokens(sampling: SamplingParams, version: number): TokenOutput {
  return {
    tokenIds: [],
    ...(sampling.logProbs ? { logProbs: [], sampledLogProbs: [] } : {}),
    stopReason: "length",
    minWeightVersion: version,
    maxWeightVersion: version,
  };
}
