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

  /** Let the model continue these tokens; at most `maxTokens` new ones where a turn has a limit of its own. */
  protected async generate(promptIds: readonly number[], maxTokens?: number): Promise<TokenOutput> {
    const { client, trajectoryId, seed, signal } = this.context;
    const sampling = maxTokens === undefined ? this.context.sampling : { ...this.context.sampling, maxTokens };
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
    this.#metrics = { ...this.#metrics, [phase]: this.#metrics[phase] + seconds };
  }
}
