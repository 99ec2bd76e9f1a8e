import { z } from "zod";
import {
  count,
  flag,
  follows,
  fraction,
  key,
  natural,
  nonNegative,
  open,
  optionalCount,
  optionalText,
  positive,
  section,
  strings,
  text,
} from "./key.js";
import { MAX_SAMPLES, MAX_SEQUENCES, MAX_TOKENS, MAX_WORKERS } from "./most.js";

const actor = "actor_rollout_ref.actor";
const oneMachine = "one process on one machine";
const topP = () => z.number().gt(0).max(1);
const topK = () => z.int().min(-1);

export const rollout = section("Sampling: the inference server and the agent loops.", {
  name: key(text(), "onnx", "Inference server, by registered name.", {
    registry: "rollouts",
    differs: { why: "verl has no default; this one is built in and shares the trainer's kernels" },
  }),
  engine_kwargs: open("Options of the inference server, one section per rollout name."),
  n: key(count(MAX_SAMPLES), 8, "Samples per prompt: the size of a group.", {
    guarded: true,
    unit: "samples",
    differs: { verl: 1, why: "GRPO, the default estimator, compares samples of one prompt" },
  }),
  temperature: key(nonNegative(), 1.0, "Sampling temperature; 0 = greedy."),
  top_p: key(topP(), 1.0, "Nucleus sampling; 1 = off."),
  top_k: key(topK(), -1, "Keep the k likeliest tokens; -1 or 0 = off."),
  min_p: key(fraction(), 0.0, "Keep tokens of at least this share of the top probability; 0 = off.", {
    differs: { why: "offered by the built-in server" },
  }),
  repetition_penalty: key(positive(), 1.0, "Penalty on tokens already seen; 1 = off.", {
    differs: { why: "offered by the built-in server" },
  }),
  do_sample: key(flag(), true, "false = greedy, whatever the temperature."),
  seed: key(natural(), 42, "Seed of all draws; a sample depends on (seed, trajectory, position) alone."),
  full_determinism: key(
    flag(),
    false,
    "The server that gets a request is chosen by the request's id alone, not by what else is in flight; draws depend on neither.",
  ),
  ignore_eos: key(flag(), false, "Sample to the length limit, past end-of-sequence tokens."),
  stop: key(strings(), [], "Texts that end a response.", { differs: { why: "offered by the built-in server" } }),
  prompt_length: key(count(MAX_TOKENS), follows("data.max_prompt_length"), "Longest prompt.", {
    unit: "tokens",
    guarded: true,
  }),
  response_length: key(count(MAX_TOKENS), follows("data.max_response_length"), "Longest response.", {
    unit: "tokens",
    guarded: true,
  }),
  max_model_len: key(optionalCount(MAX_TOKENS), null, "Context limit; null = prompt + response length.", {
    unit: "tokens",
    guarded: true,
  }),
  max_num_seqs: key(count(MAX_SEQUENCES), 64, "Sequences decoded at the same time.", {
    guarded: true,
    unit: "sequences",
    differs: { verl: 256, why: "sized for a CPU" },
  }),
  quantization: key(
    optionalText(),
    null,
    "Sample with weights of fewer bits, by the server's name for them (onnx: int8, int4); null = as trained.",
  ),
  tensor_model_parallel_size: key(count(), 1, "Devices per server.", { differs: { verl: 2, why: oneMachine } }),
  calculate_log_probs: key(flag(), true, "Ask the server for log-probabilities of sampled tokens."),
  log_prob_micro_batch_size_per_gpu: key(
    optionalCount(),
    follows(`${actor}.ppo_micro_batch_size_per_gpu`),
    "Trajectories per forward pass when old log-probabilities are computed.",
    { unit: "trajectories", differs: { verl: null, why: "one size serves every pass" } },
  ),
  log_prob_use_dynamic_bsz: key(flag(), follows(`${actor}.use_dynamic_bsz`), "Pack those micro-batches by tokens."),
  log_prob_max_token_len_per_gpu: key(
    count(),
    follows(`${actor}.ppo_max_token_len_per_gpu`),
    "Token budget of those micro-batches.",
    { unit: "tokens" },
  ),
  val_kwargs: section("Sampling during validation.", {
    temperature: key(nonNegative(), 0, "Sampling temperature; 0 = greedy."),
    top_p: key(topP(), 1.0, "Nucleus sampling; 1 = off."),
    top_k: key(topK(), -1, "Keep the k likeliest tokens; -1 or 0 = off."),
    n: key(count(MAX_SAMPLES), 1, "Samples per validation prompt.", { unit: "samples", guarded: true }),
    do_sample: key(flag().nullable(), null, "false = greedy; null = sample whenever the temperature is above 0.", {
      differs: { verl: false, why: "setting the temperature alone takes effect" },
    }),
  }),
  agent: section("Agent loops: who turns a prompt into trajectories.", {
    num_workers: key(
      count(MAX_WORKERS),
      8,
      "Agent-loop workers; also the most threads for loops with `thread: true`.",
      { guarded: true },
    ),
    default_agent_loop: key(text(), "single_turn_agent", "Loop of rows without a column `agent_name`.", {
      registry: "agentLoops",
    }),
    agent_loop_config_path: key(optionalText(), null, "YAML list of further loops.", { file: true }),
    agent_loop_manager_class: key(
      optionalText(),
      null,
      "An agent-loop manager: a registered name, or module#Export of one's own; null = the built-in one.",
      {
        registry: "agentLoopManagers",
      },
    ),
    loops: open("Options of agent loops, one section per loop name.", {
      differs: { why: "a loop needs no file of its own for its options" },
    }),
    on_session_error: key(
      z.enum(["fail_group", "keep_group"]),
      "fail_group",
      "A session that throws: its prompt group failed, or the group goes on with the sessions that are left.",
      { differs: { why: "verl's agent loop and its gateway disagree; both are reachable by name" } },
    ),
    session_deadline_s: key(
      positive().nullable(),
      null,
      "Longest time of one session's agent loop, its reward apart; a longer one fails. null = only trainer.sample_deadline_s, which ends the run.",
      { unit: "seconds", differs: { why: "a loop without end costs its group, not the run" } },
    ),
  }),
  multi_turn: section("Turns and tools.", {
    enable: key(flag(), false, "Run several turns."),
    max_assistant_turns: key(z.int().min(0).nullable(), null, "Model turns; null = no limit.", { unit: "turns" }),
    max_user_turns: key(z.int().min(0).nullable(), null, "Tool or user turns; null = no limit.", { unit: "turns" }),
    max_assistant_response_length: key(
      optionalCount(),
      null,
      "Longest single model turn of the tool agent, within what the response has left; null = only that.",
      { unit: "tokens", differs: { why: "one turn cannot use up what later turns need" } },
    ),
    max_parallel_calls: key(count(), 1, "Tool calls honoured per model turn.", { unit: "calls" }),
    max_tool_response_length: key(natural(), 256, "Longest tool output; characters, not tokens.", {
      unit: "characters",
    }),
    tool_response_truncate_side: key(
      z.enum(["left", "right", "middle"]),
      "middle",
      "What is cut from a longer one: left, right, or the middle.",
    ),
    tool_deadline_s: key(positive(), 60, "Longest time of one tool call; the model is told when it passes.", {
      unit: "seconds",
      differs: { why: "verl waits for ever for a tool that hangs" },
    }),
    tool_config_path: key(optionalText(), null, "YAML list of stateful tools.", { file: true }),
    function_tool_path: key(optionalText(), null, "File with function tools.", { file: true }),
    interaction_config_path: key(optionalText(), null, "YAML list of simulated users.", {
      file: true,
      differs: { why: "verl has removed them" },
    }),
    interaction_deadline_s: key(positive(), 60, "Longest time of one answer of a simulated user.", {
      unit: "seconds",
      differs: { why: "a user that hangs would hang the run" },
    }),
    format: key(text(), "hermes", "Tool-call format of the model.", { registry: "toolParsers" }),
  }),
  trace: section("Traces: what sessions, turns, tools, rewards and steps take.", {
    backend: key(optionalText(), null, "Tracer, by registered name: otel; null = no traces.", {
      registry: "tracers",
      unoffered: {
        prometheus: "Set actor_rollout_ref.rollout.prometheus.enable to true, and leave this key to tracers.",
      },
    }),
    token2text: key(flag(), false, "Write texts of prompts, answers and tool calls into the traces."),
    max_samples_per_step_per_worker: key(
      natural().nullable(),
      null,
      "Prompts of a step and agent-loop worker that are traced, with all of their samples; null = all.",
      { unit: "prompts" },
    ),
    project_name: key(optionalText(), follows("trainer.project_name"), "Project that the traces belong to."),
    experiment_name: key(optionalText(), follows("trainer.experiment_name"), "Run that the traces belong to."),
    endpoint: key(optionalText(), null, "OTLP/HTTP address that traces are sent to besides the file; null = nowhere.", {
      differs: { why: "verl's backends have addresses of their own" },
    }),
    headers: open("Headers of requests to the endpoint, such as an authorization.", {
      differs: { why: "verl's backends have credentials of their own" },
    }),
  }),
  prometheus: section("Metrics while the run goes on, for Prometheus.", {
    enable: key(flag(), false, "Answer requests for metrics at 127.0.0.1, path /metrics."),
    port: key(z.int().min(0).max(65_535), 9464, "Port of the metrics; 0 = a free one.", {
      differs: { verl: 9090, why: "verl names Prometheus's own port; here it is the run that answers" },
    }),
    file: key(optionalText(), null, "Scrape configuration to write for Prometheus; null = none.", {
      differs: { verl: "/tmp/ray/session_latest/metrics/prometheus/prometheus.yml", why: "Ray is not used" },
    }),
    served_model_name: key(
      optionalText(),
      follows("actor_rollout_ref.model.path"),
      "Label `model_name` of all metrics: the last part of this path or id; null = no label.",
    ),
  }),
  checkpoint_engine: section("How weights get from the trainer to the servers.", {
    backend: key(text(), "naive", "Transfer engine, by registered name; naive = in memory, same process.", {
      registry: "checkpointEngines",
    }),
    update_weights_bucket_megabytes: key(count(), 2048, "Size of a transfer bucket.", { unit: "MiB" }),
    engine_kwargs: open("Options of the transfer engine, one section per backend."),
  }),
});
