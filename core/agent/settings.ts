import type { RunConfig } from "../config/run-config.js";
import { type ErrorPolicy, parseErrorPolicy } from "../reward/index.js";
import type { SamplingParams } from "../rollout/rollout.js";
import type { MultiTurnSettings } from "./agent-loop.js";

/** The part of the configuration that agent loops and their manager read. */
export interface AgentSettings {
  readonly numWorkers: number;
  /** Sessions that one worker runs at the same time: enough to keep a server full while others are being scored. */
  readonly sessionsPerWorker: number;
  readonly promptLength: number;
  readonly responseLength: number;
  readonly defaultLoop: string;
  readonly loopOptions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly applyChatTemplateKwargs: Readonly<Record<string, unknown>>;
  readonly dataSourceKey: string;
  /** Sessions per prompt. */
  readonly sessions: { readonly train: number; readonly val: number };
  readonly sampling: { readonly train: SamplingParams; readonly val: SamplingParams; readonly greedy: SamplingParams };
  readonly onSessionError: "fail_group" | "keep_group";
  /** Longest time of one agent loop; infinite where there is no limit. */
  readonly sessionDeadlineMs: number;
  readonly rewardPolicy: ErrorPolicy;
  /** Extra values of rewards that are trained on. */
  readonly rewardParts: readonly string[];
  readonly multiTurn: MultiTurnSettings;
}

export function agentSettings(config: RunConfig): AgentSettings {
  const { rollout } = config.actor_rollout_ref;
  const { agent } = rollout;
  return {
    numWorkers: agent.num_workers,
    sessionsPerWorker: 2 * rollout.max_num_seqs,
    promptLength: rollout.prompt_length,
    responseLength: rollout.response_length,
    defaultLoop: agent.default_agent_loop,
    loopOptions: agent.loops as AgentSettings["loopOptions"],
    applyChatTemplateKwargs: config.data.apply_chat_template_kwargs,
    dataSourceKey: config.data.reward_fn_key,
    sessions: { train: rollout.n, val: rollout.val_kwargs.n },
    sampling: samplingOf(rollout),
    onSessionError: agent.on_session_error,
    sessionDeadlineMs: agent.session_deadline_s === null ? Infinity : agent.session_deadline_s * 1000,
    rewardPolicy: parseErrorPolicy(config.reward.on_error, config.reward.max_retries),
    rewardParts: config.algorithm?.gdpo_reward_keys ?? [],
    multiTurn: multiTurnOf(rollout),
  };
}

type RolloutConfig = RunConfig["actor_rollout_ref"]["rollout"];

function multiTurnOf({ multi_turn: turns }: RolloutConfig): MultiTurnSettings {
  return {
    maxAssistantTurns: turns.max_assistant_turns || Infinity,
    maxUserTurns: turns.max_user_turns || Infinity,
    maxTurnTokens: turns.max_assistant_response_length ?? Infinity,
    maxParallelCalls: turns.max_parallel_calls,
    toolCalls: {
      deadlineMs: turns.tool_deadline_s * 1000,
      maxResponseLength: turns.max_tool_response_length,
      truncateSide: turns.tool_response_truncate_side,
    },
    interactionDeadlineMs: turns.interaction_deadline_s * 1000,
  };
}

function samplingOf(rollout: RolloutConfig): AgentSettings["sampling"] {
  const common = {
    repetitionPenalty: rollout.repetition_penalty,
    ignoreEos: rollout.ignore_eos,
    logProbs: rollout.calculate_log_probs,
    ...(rollout.min_p > 0 ? { minP: rollout.min_p } : {}),
    ...(rollout.stop.length > 0 ? { stop: rollout.stop } : {}),
  };
  const greedy = { ...common, temperature: 0, topP: 1, topK: -1 };
  const sampled = (from: { temperature: number; top_p: number; top_k: number; do_sample: boolean | null }) =>
    from.do_sample === false
      ? greedy
      : { ...common, temperature: from.temperature, topP: from.top_p, topK: from.top_k };
  return { train: sampled(rollout), val: sampled(rollout.val_kwargs), greedy };
}
