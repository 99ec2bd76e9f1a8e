import type { SamplingParams } from "../../rollout/rollout.js";
import type { PromptTask } from "../agent-loop.js";
import type { AgentSettings } from "../settings.js";

/** How often and how a prompt is sampled: its own wishes and its row's before the run's. */
export function promptPlan(
  { row, greedy, sessions }: PromptTask,
  partition: "train" | "val",
  settings: Pick<AgentSettings, "sampling" | "sessions">,
): { readonly sessions: number; readonly sampling: SamplingParams } {
  const isGreedy = greedy ?? (partition === "train" && row.__do_sample__ === false);
  const rowSessions = typeof row.__rollout_n__ === "number" ? row.__rollout_n__ : undefined;
  return {
    sessions: sessions ?? rowSessions ?? settings.sessions[partition],
    sampling: isGreedy ? settings.sampling.greedy : settings.sampling[partition],
  };
}
