import type { SamplingParams } from "../../rollout/rollout.js";
import type { AgentLoopFactory, PromptTask } from "../agent-loop.js";
import type { PromptEncoder } from "../prompts/prompt-encoder.js";
import type { ToolSet } from "../tools/tool-set.js";

/** A prompt on its way through a worker: everything that its sessions share. */
export interface PromptRun {
  readonly task: PromptTask;
  readonly partition: "train" | "val";
  readonly globalStep: number;
  readonly sessions: number;
  readonly sampling: SamplingParams;
  readonly factory: AgentLoopFactory;
  /** Those that the row may use. */
  readonly tools: ToolSet;
  readonly dataSource: string;
  /** `file:line` of the dataset row, or empty. */
  readonly origin: string;
  readonly encoder: PromptEncoder;
  readonly signal: AbortSignal;
  /** Whether its sessions are among those that are traced. */
  readonly traced: boolean;
}

/** The prompt in messages: its dataset row where that is known. */
export const nameOf = ({ task, origin }: Pick<PromptRun, "task" | "origin">) =>
  origin ? `${task.uid} (${origin})` : task.uid;
