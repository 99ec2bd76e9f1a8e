import type { CheckedRequest } from "./replica-backend.js";
import type { RolloutOptions, StopReason, TokenOutput, VersionRun } from "./rollout.js";
import type { TokenSampler } from "./sampling.js";
import { StopChecker } from "./stop.js";

/** One response while it is being drawn: a server computes logits, this keeps everything else. */
export class GrowingResponse {
  readonly tokenIds: number[] = [];
  private readonly logProbs: number[] = [];
  private readonly sampledLogProbs: number[] = [];
  private readonly stops: StopChecker;
  private readonly versions: VersionRun[] = [];

  constructor(
    readonly request: CheckedRequest,
    options: Pick<RolloutOptions, "eosTokenIds" | "createDecoder">,
  ) {
    const { stop, stopTokenIds, ignoreEos } = request.sampling;
    this.stops = new StopChecker({ ...options, stop, stopTokenIds, ignoreEos, maxTokens: request.maxTokens });
    const { promptIds, continues = 0 } = request;
    if (continues > 0) this.stops.resume(promptIds.slice(-continues));
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
    addToRuns(this.versions, this.tokenIds.length, weightVersion);
    return this.stops.push(token);
  }

  /** @param weightVersion stands in where no token was drawn. */
  output(stopReason: StopReason, weightVersion: number): TokenOutput {
    const versions = this.versions.length > 0 ? this.versions.map(({ version }) => version) : [weightVersion];
    return {
      tokenIds: this.tokenIds,
      ...(this.request.sampling.logProbs ? { logProbs: this.logProbs, sampledLogProbs: this.sampledLogProbs } : {}),
      stopReason,
      minWeightVersion: Math.min(...versions),
      maxWeightVersion: Math.max(...versions),
      weightVersions: this.versions,
    };
  }

  private *seen(): Iterable<number> {
    yield* this.request.promptIds;
    yield* this.tokenIds;
  }
}

/** Note that the response reaches to `end` with a token of this version. */
function addToRuns(runs: VersionRun[], end: number, version: number): void {
  const last = runs.at(-1);
  if (last?.version === version) runs[runs.length - 1] = { ...last, end };
  else runs.push({ start: end - 1, end, version });
}
