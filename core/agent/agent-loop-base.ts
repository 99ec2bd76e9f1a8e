import type { TokenOutput } from "../rollout/rollout.js";
import type { AgentLoop, AgentLoopContext, AgentLoopInput, AgentLoopMetrics, AgentLoopOutput } from "./agent-loop.js";
import { agentErrors } from "./errors.js";

/** A convenient start for agent loops: asks the model under the trajectory's id, and keeps the metrics. */
export abstract class AgentLoopBase implements AgentLoop {
  #metrics: AgentLoopMetrics = { generateSequences: 0, toolCalls: 0, computeScore: 0, numPreempted: -1 };

  constructor(protected readonly context: AgentLoopContext) {}

  abstract run(input: AgentLoopInput): Promise<AgentLoopOutput | readonly AgentLoopOutput[]>;

  /** What was spent so far, for `AgentLoopOutput.metrics`. */
  protected get metrics(): AgentLoopMetrics {
    return this.#metrics;
  }

  /**
   * Let the model continue these tokens; at most `maxTokens` new ones where a turn has a limit of its own. `stopTokenIds` end
   * the turn too, beside those of the sampling parameters.
   */
  protected async generate(
    promptIds: readonly number[],
    maxTokens?: number,
    stopTokenIds: readonly number[] = [],
  ): Promise<TokenOutput> {
    const { client, trajectoryId, seed, signal } = this.context;
    const stops = [...new Set([...(this.context.sampling.stopTokenIds ?? []), ...stopTokenIds])];
    const sampling = {
      ...this.context.sampling,
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(stopTokenIds.length === 0 ? {} : { stopTokenIds: stops }),
    };
    const start = performance.now();
    const output = await client.generate({ requestId: trajectoryId, promptIds, sampling, seed }, { signal });
    this.spend("generateSequences", (performance.now() - start) / 1000);
    if (output.numPreempted !== undefined) {
      const before = Math.max(0, this.#metrics.numPreempted);
      this.#metrics = { ...this.#metrics, numPreempted: before + output.numPreempted };
    }
    if (output.stopReason === "error") {
      throw agentErrors.VERL_AGENT_GENERATION_FAILED({ what: `request ${trajectoryId} ended with an error` });
    }
    return output;
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
