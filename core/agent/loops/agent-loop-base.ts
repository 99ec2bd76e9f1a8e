import type { PlacedMedia } from "../../data/media/media.js";
import { isVerlError } from "../../host/errors.js";
import type { GenerateRequest, TokenOutput } from "../../rollout/rollout.js";
import type { AgentLoop, AgentLoopContext, AgentLoopInput, AgentLoopMetrics, AgentLoopOutput } from "../agent-loop.js";
import { agentErrors } from "../errors.js";

/** A convenient start for agent loops: asks the model under the trajectory's id, and keeps the metrics. */
export abstract class AgentLoopBase implements AgentLoop {
  #metrics: AgentLoopMetrics = { generateSequences: 0, toolCalls: 0, computeScore: 0, numPreempted: -1 };

  #last: TokenOutput | null = null;

  constructor(protected readonly context: AgentLoopContext) {}

  abstract run(input: AgentLoopInput): Promise<AgentLoopOutput | readonly AgentLoopOutput[]>;

  /** What was spent so far, for `AgentLoopOutput.metrics`. */
  protected get metrics(): AgentLoopMetrics {
    return this.#metrics;
  }

  /**
   * Let the model continue these tokens; at most `maxTokens` new ones where a turn has a limit of its own. `stopTokenIds` end
   * the turn too, beside those of the sampling parameters. Where a later turn has outgrown the context, or no token is allowed,
   * the answer is `length` without tokens; `extraFields.truncation` is `context` for the former. `media` are those among the tokens.
   */
  protected async generate(
    promptIds: readonly number[],
    maxTokens?: number,
    stopTokenIds: readonly number[] = [],
    media: readonly PlacedMedia[] = [],
  ): Promise<TokenOutput> {
    const { trajectoryId, seed } = this.context;
    if (maxTokens !== undefined && maxTokens <= 0 && this.#last) return withoutTokens(this.#last);
    const stops = [...new Set([...(this.context.sampling.stopTokenIds ?? []), ...stopTokenIds])];
    const sampling = {
      ...this.context.sampling,
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(stopTokenIds.length === 0 ? {} : { stopTokenIds: stops }),
    };
    const start = performance.now();
    const output = await this.#ask({
      requestId: trajectoryId,
      promptIds,
      sampling,
      seed,
      ...(media.length > 0 ? { media } : {}),
    });
    this.spend("generateSequences", (performance.now() - start) / 1000);
    if (output.numInterruptions !== undefined) this.count("interruptions", output.numInterruptions);
    if (output.numPreempted !== undefined) {
      const before = Math.max(0, this.#metrics.numPreempted);
      this.#metrics = { ...this.#metrics, numPreempted: before + output.numPreempted };
    }
    if (output.stopReason === "error") {
      throw agentErrors.VERL_AGENT_GENERATION_FAILED({ what: `request ${trajectoryId} ended with an error` });
    }
    this.#last = output;
    return output;
  }

  async #ask(request: GenerateRequest): Promise<TokenOutput> {
    const { client, signal } = this.context;
    try {
      return await client.generate(request, { signal });
    } catch (error) {
      // A first prompt that is too long is a mistake of the run; a conversation that has grown too long has ended.
      const full = isVerlError(error) && error.code === "VERL_ROLLOUT_PROMPT_TOO_LONG";
      if (full && this.#last) return withoutTokens(this.#last, { truncation: "context" });
      throw error;
    }
  }

  /** Add seconds to a phase. */
  protected spend(phase: "generateSequences" | "toolCalls" | "computeScore", seconds: number): void {
    this.count(phase, seconds);
  }

  /** Add to a number of the trajectory. */
  protected count(name: string, amount = 1): void {
    this.#metrics = { ...this.#metrics, [name]: (this.#metrics[name] ?? 0) + amount };
  }
}

/** A turn that could not begin, under the weights of the last one. */
function withoutTokens(last: TokenOutput, extraFields: Readonly<Record<string, unknown>> = {}): TokenOutput {
  return {
    tokenIds: [],
    ...(last.logProbs ? { logProbs: [] } : {}),
    stopReason: "length",
    minWeightVersion: last.maxWeightVersion,
    maxWeightVersion: last.maxWeightVersion,
    extraFields,
  };
}
