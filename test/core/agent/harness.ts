import type {
  AgentLoopFactory,
  AgentLoopManagerOptions,
  AgentLoopOutput,
  PromptTask,
} from "../../../core/agent/index.js";
import {
  builtinAgentLoops,
  builtinToolParsers,
  InProcessAgentLoopManager,
  ToolSet,
} from "../../../core/agent/index.js";
import type { RunConfig } from "../../../core/config/run-config.js";
import type { Row } from "../../../core/plugin.js";
import type { RewardFunction, RewardManager } from "../../../core/reward/index.js";
import { createNaiveRewardManager, parseErrorPolicy, withErrorPolicy } from "../../../core/reward/index.js";
import { InProcessQueue, promptTag, type Tag } from "../../../core/transfer/index.js";
import { createToyTokenizer, rewardManagerOptions, ScriptedClient } from "../../../testing/index.js";

export const tokenizer = createToyTokenizer();

export interface ConfigOverrides {
  readonly rollout?: Record<string, unknown>;
  readonly val_kwargs?: Record<string, unknown>;
  readonly agent?: Record<string, unknown>;
  readonly multi_turn?: Record<string, unknown>;
  readonly reward?: Record<string, unknown>;
}

/** The part of the configuration that the agent room reads. */
export function configOf({ rollout, val_kwargs, agent, multi_turn, reward }: ConfigOverrides = {}): RunConfig {
  return {
    data: { apply_chat_template_kwargs: {}, reward_fn_key: "data_source" },
    actor_rollout_ref: {
      rollout: {
        n: 2,
        temperature: 1,
        top_p: 0.9,
        top_k: -1,
        min_p: 0,
        repetition_penalty: 1,
        do_sample: true,
        ignore_eos: false,
        stop: [],
        calculate_log_probs: true,
        prompt_length: 64,
        response_length: 16,
        max_num_seqs: 8,
        val_kwargs: { temperature: 0, top_p: 1, top_k: -1, n: 1, do_sample: null, ...val_kwargs },
        agent: {
          num_workers: 2,
          default_agent_loop: "single_turn_agent",
          loops: {},
          on_session_error: "fail_group",
          session_deadline_s: null,
          ...agent,
        },
        multi_turn: {
          max_assistant_turns: null,
          max_user_turns: null,
          max_assistant_response_length: null,
          interaction_deadline_s: 10,
          max_parallel_calls: 1,
          max_tool_response_length: 256,
          tool_response_truncate_side: "middle",
          tool_deadline_s: 10,
          ...multi_turn,
        },
        ...rollout,
      },
    },
    reward: { on_error: "fail", max_retries: 2, ...reward },
  } as unknown as RunConfig;
}

export interface HarnessOptions extends ConfigOverrides {
  readonly loops?: readonly AgentLoopFactory[];
  /** What the model answers to every request. */
  readonly answer?: string;
  readonly score?: RewardFunction | null;
  readonly over?: Partial<AgentLoopManagerOptions>;
}

/** A manager on a real queue with a scripted model. */
export function harness(options: HarnessOptions = {}) {
  const { loops = [], answer = "42", score = () => 1, over = {} } = options;
  const queue = new InProcessQueue();
  const warnings: string[] = [];
  const logger = { debug() {}, info() {}, warn: (text: string) => void warnings.push(text), error() {} };
  const client = new ScriptedClient([
    { tokenIds: [...tokenizer.encode(answer), 1], minWeightVersion: 3, maxWeightVersion: 4 },
  ]);
  const policy = parseErrorPolicy(String(options.reward?.on_error ?? "fail"), 0);
  const naive =
    score &&
    createNaiveRewardManager(rewardManagerOptions({ tokenizer, customFunction: score, maxConcurrent: 64, logger }));
  const rewardManager: RewardManager | null = naive && withErrorPolicy(naive, policy);
  const known = [...builtinAgentLoops, ...loops];
  const managerOptions: AgentLoopManagerOptions = {
    config: configOf(options),
    client,
    tokenizer,
    queue,
    rewardManager,
    findAgentLoop(name) {
      const found = known.find((loop) => [loop.name, ...(loop.aliases ?? [])].includes(name));
      if (!found) throw new Error(`unknown agent loop ${name}`);
      return found;
    },
    tools: ToolSet.empty,
    toolParser: builtinToolParsers[0],
    modelType: null,
    logger,
    seed: 5,
    ...over,
  };
  const manager = new InProcessAgentLoopManager(managerOptions);

  async function submit(tasks: readonly PromptTask[], partition: "train" | "val" = "train", signal?: AbortSignal) {
    for (const { uid, draw, attempt } of tasks) {
      await queue.put(partition, uid, { tag: promptTag({ globalSteps: 1, draw, attempt }) }, { attempt });
    }
    await manager.submit(tasks, { partition, globalStep: 1, ...(signal ? { signal } : {}) });
  }

  /** Tags by key, without the time stamp. */
  async function tags(partition = "train"): Promise<Record<string, Tag>> {
    const entries = await queue.list(partition);
    return Object.fromEntries(entries.map(({ key, tag: { since: _, ...tag } }) => [key, tag]));
  }

  async function rows(partition = "train"): Promise<Record<string, Row>> {
    const keys = (await queue.list(partition)).map((e) => e.key).filter((key) => key.includes("_"));
    const values = await queue.get(partition, keys);
    return Object.fromEntries(keys.map((key, i) => [key, values[i]]));
  }

  return { manager, options: managerOptions, queue, client, warnings, submit, tags, rows };
}

export function task(uid: string, over: Partial<PromptTask> = {}): PromptTask {
  return {
    uid,
    draw: 0,
    row: { data_source: "test", reward_model: { ground_truth: "42" }, origin: "train.jsonl:1" },
    messages: [{ role: "user", content: "6*7" }],
    attempt: 0,
    ...over,
  };
}

/** A loop from a function, for tests. */
export function loopOf(
  name: string,
  run: (...args: Parameters<AgentLoopFactory["create"]>) => unknown,
): AgentLoopFactory {
  return { name, create: (context) => ({ run: async () => (await run(context)) as never }) };
}

/** What a loop returns of two turns, two tokens sampled. */
export const output = (over: Partial<AgentLoopOutput> = {}): AgentLoopOutput => ({
  promptIds: [1, 2],
  responseIds: [20, 21],
  responseMask: [1, 1],
  responseLogProbs: [-0.1, -0.2],
  numTurns: 2,
  stopReason: "stop",
  minWeightVersion: 3,
  maxWeightVersion: 3,
  metrics: { generateSequences: 0, toolCalls: 0, computeScore: 0, numPreempted: -1 },
  extraFields: {},
  ...over,
});
