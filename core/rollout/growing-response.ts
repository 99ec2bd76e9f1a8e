import type { CheckedRequest } from "./replica-backend.js";
import type { RolloutOptions, StopReason, TokenOutput } from "./rollout.js";
import type { TokenSampler } from "./sampling.js";
import { StopChecker } from "./stop.js";

/** One response while it is being drawn: a server computes logits, this keeps everything else. */
export class GrowingResponse {
  readonly tokenIds: number[] = [];
  private readonly logProbs: number[] = [];
  private readonly sampledLogProbs: number[] = [];
  private readonly stops: StopChecker;
  private minVersion = Infinity;
  private maxVersion = -Infinity;

  constructor(
    readonly request: CheckedRequest,
    options: Pick<RolloutOptions, "eosTokenIds" | "createDecoder">,
  ) {
    const { stop, stopTokenIds, ignoreEos } = request.sampling;
    this.stops = new StopChecker({ ...options, stop, stopTokenIds, ignoreEos, maxTokens: request.maxTokens });
  }

  /** Tokens of prompt and response so far, which is also the position of the next one. */
  get length(): number {
    return this.request.promptIds.length + this.tokenIds.length;
  }

  /** Draw the next token from its logits [V]; tells whether the response ends with it. */
  draw(logits_V: Float32Array, sampler: TokenSampler, weightVersion: number): "stop" | "length" | null {
    const { requestId, seed, sampling } = this.request;
    const key = { seed, requestId, position: this.length };
    const { token, logProb, sampledLogProb } = sampler.draw(logits_V, sampling, key, this.seen());
    this.tokenIds.push(token);
    this.logProbs.push(logProb);
    this.sampledLogProbs.push(sampledLogProb);
    this.minVersion = Math.min(this.minVersion, weightVersion);
    this.maxVersion = Math.max(this.maxVersion, weightVersion);
    return this.stops.push(token);
  }

  /** @param weightVersion stands in where no token was drawn. */
  output(stopReason: StopReason, weightVersion: number): TokenOutput {
    const drewAny = this.tokenIds.length > 0;
    return {
      tokenIds: this.tokenIds,
      ...(this.request.sampling.logProbs ? { logProbs: this.logProbs, sampledLogProbs: this.sampledLogProbs } : {}),
      stopReason,
      minWeightVersion: drewAny ? this.minVersion : weightVersion,
      maxWeightVersion: drewAny ? this.maxVersion : weightVersion,
    };
  }

  private *seen(): Iterable<number> {
    yield* this.request.promptIds;
    yield* this.tokenIds;
  }
}
