import type { CallOptions, GenerateRequest, LlmClient, TokenOutput } from "../../core/plugin.js";

export type Answer = Partial<TokenOutput> & Pick<TokenOutput, "tokenIds">;

/**
 * A client that answers with given tokens instead of sampling: one answer after the other, the last one again and again, or
 * whatever a function returns. Log-probabilities are −0.5 unless the answer brings its own.
 */
export class ScriptedClient implements LlmClient {
  readonly requests: GenerateRequest[] = [];

  constructor(
    private readonly script: readonly Answer[] | ((request: GenerateRequest, call: number) => Answer | Promise<Answer>),
  ) {}

  async generate(request: GenerateRequest, options?: CallOptions): Promise<TokenOutput> {
    options?.signal?.throwIfAborted();
    const call = this.requests.push(request) - 1;
    const { script } = this;
    const answer =
      typeof script === "function" ? await script(request, call) : script[Math.min(call, script.length - 1)];
    const tokenIds = answer.tokenIds.slice(0, request.sampling.maxTokens);
    return {
      logProbs: request.sampling.logProbs ? tokenIds.map(() => -0.5) : undefined,
      stopReason: tokenIds.length < answer.tokenIds.length ? "length" : "stop",
      minWeightVersion: 0,
      maxWeightVersion: 0,
      ...answer,
      tokenIds,
    };
  }
}
