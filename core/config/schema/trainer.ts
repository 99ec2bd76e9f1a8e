import { z } from "zod";
import {
  count,
  flag,
  follows,
  fraction,
  interval,
  key,
  NAME,
  name,
  natural,
  open,
  optionalCount,
  optionalText,
  positive,
  section,
  strings,
  text,
  userExport,
} from "./key.js";
import { MAX_WORKERS } from "./most.js";

export const trainer = section("The run: length, saving, validation, tracking, hooks.", {
  total_epochs: key(count(), 1, "Passes over the training data; `total_training_steps` wins.", {
    differs: { verl: 30, why: "a first run should end soon" },
  }),
  total_training_steps: key(optionalCount(), null, "Steps to train; null = `total_epochs` passes.", { unit: "steps" }),
  project_name: key(name(), "verl", "Groups runs in folders and trackers.", {
    ...NAME,
    differs: { verl: "verl_examples", why: "the name of an example is no name for a project" },
  }),
  experiment_name: key(name(), "default", "Names this run in folders and trackers.", {
    ...NAME,
    differs: { verl: "gsm8k", why: "the name of an example is no name for a run" },
  }),
  default_local_dir: key(
    name(),
    `checkpoints/${follows("trainer.project_name")}/${follows("trainer.experiment_name")}`,
    "Folder of the run's checkpoints.",
    { ...NAME, file: true },
  ),
  output_dir: key(
    name(),
    follows("trainer.default_local_dir"),
    "Folder where the run keeps what it logs: config.yaml, metrics.jsonl, samples.jsonl, report.html.",
    {
      ...NAME,
      file: true,
      differs: { why: "local trackers need a place that does not depend on environment variables" },
    },
  ),
  logger: key(strings(), ["console", "jsonl", "report"], "Trackers to log to: one name or a list.", {
    registry: "trackers",
    differs: { verl: ["console", "wandb"], why: "works without an account and leaves a report on disk" },
  }),
  log_val_generations: key(
    natural(),
    0,
    "Validation samples shown by trackers after each validation; 0 = a few in the run's folder, none to trackers elsewhere.",
    { unit: "rows" },
  ),
  tracker_python: key(
    optionalText(),
    null,
    "Python of the trackers wandb, swanlab, trackio and mlflow, whose clients must be installed in it; null = python3 or python of the PATH.",
    { file: true, differs: { why: "the clients of these trackers are Python, and the run is not" } },
  ),
  wandb_proxy: key(optionalText(), null, "Proxy through which the tracker wandb reaches its server."),
  rollout_data_dir: key(optionalText(), null, "Folder for JSONL dumps of training trajectories.", { file: true }),
  validation_data_dir: key(optionalText(), null, "Folder for JSONL dumps of validation trajectories.", { file: true }),
  device: key(text(), "auto", "Platform: a vendor (cpu, nvidia, ...) or device name, or `auto` to detect one.", {
    registry: "platforms",
    differs: { verl: "cuda", why: "the machine is asked instead of assumed" },
  }),
  nnodes: key(count(), 1, "Machines that train."),
  n_gpus_per_node: key(count(MAX_WORKERS), 1, "Training processes, one a device; on the CPU as many as you like.", {
    guarded: true,
    differs: { verl: 8, why: "what a machine has is not assumed" },
  }),
  threads: key(
    natural(MAX_WORKERS),
    0,
    "CPU threads of each training process and of the rollout; 0 = all cores, shared out among training processes.",
    {
      guarded: true,
      differs: { why: "the default engine computes on the CPU" },
    },
  ),
  seed: key(natural(), 1, "Seed of everything random in the trainer: initial weights, data order, uids.", {
    differs: { why: "a run is reproducible unless asked otherwise" },
  }),
  save_freq: key(interval(), -1, "Save every so many steps and after the last one; -1 or 0 = never.", {
    unit: "steps",
  }),
  test_freq: key(interval(), -1, "Validate every so many steps and after the last one; -1 or 0 = never.", {
    unit: "steps",
  }),
  val_before_train: key(flag(), true, "Validate before the first step."),
  val_only: key(flag(), false, "Stop after that first validation."),
  metric_reduction: key(
    z.enum(["declared", "name"]),
    "declared",
    "How values of a step's updates become one: as each metric declares, or by its name as in verl (max, min, else mean).",
    { differs: { why: "a name that happens to contain max or min decides nothing" } },
  ),
  critic_warmup: key(natural(), 0, "Step from which on the actor is updated; before it only the critic is.", {
    unit: "steps",
  }),
  resume_mode: key(
    z.enum(["auto", "disable", "resume_path"]),
    "auto",
    "auto = from the newest complete checkpoint of `default_local_dir`, if any; disable = start anew; resume_path = from `resume_from_path`.",
  ),
  resume_from_path: key(optionalText(), null, "A `global_step_N` folder, for `resume_mode: resume_path`.", {
    file: true,
  }),
  max_actor_ckpt_to_keep: key(z.int().min(0).nullable(), null, "Newest actor checkpoints to keep; null or 0 = all."),
  max_critic_ckpt_to_keep: key(z.int().min(0).nullable(), null, "Newest critic checkpoints to keep; null or 0 = all."),
  checkpoint_callback_class: key(
    optionalText(),
    null,
    "File whose export is told after each completed save; `file.ts#name` picks an export.",
    { file: true },
  ),
  hooks: key(strings(), [], "Files with lifecycle hooks, loaded before anything starts.", {
    file: true,
    differs: { why: "hooks are files of the user here" },
  }),
  hook_deadline_s: key(positive(), 600, "Longest time that one hook may take; passing it ends the run.", {
    unit: "s",
    differs: { why: "a hook that never returns would hang the run" },
  }),
  block_deadline_s: key(
    z.number().min(0),
    300,
    "Longest time that code of yours (a tool, a loop, a hook) may hold the process's only thread without yielding; passing it ends the process. After 10 s a warning names it. 0 = it is neither named nor ended.",
    { unit: "s", differs: { why: "code that computes for ever would hang the run without a word" } },
  ),
  sample_deadline_s: key(positive(), 3600, "Longest wait for a step's trajectories; passing it ends the run.", {
    unit: "s",
    differs: { why: "verl waits for ever" },
  }),
  max_skipped_updates: key(
    z.int().min(0).nullable(),
    10,
    "Updates of a model in a row that may be skipped for a loss or gradient that is no number; one more ends the run, as does a run of nothing else. null = any number.",
    { differs: { why: "verl trains on to its end, and ends in success" } },
  ),
  health: section(
    "Alarms about what usually spoils a run: a warning once per kind, and a summary at the end; null = off.",
    {
      sampler_gap: key(
        positive().nullable(),
        0.05,
        "Largest mean difference, without sign, of the trainer's and the sampler's log-probability of a token.",
        { unit: "nats", differs: { why: "verl raises no alarms" } },
      ),
      uniform_groups: key(
        fraction().nullable(),
        0.9,
        "Largest share of groups without signal, in three steps in a row.",
        {
          differs: { why: "verl raises no alarms" },
        },
      ),
      skipped_updates: key(
        natural().nullable(),
        0,
        "Largest number of updates skipped since the start, because their loss or gradient was no number.",
        { unit: "updates", differs: { why: "verl raises no alarms" } },
      ),
      failed_rewards: key(fraction().nullable(), 0.05, "Largest share of trajectories whose scoring failed.", {
        differs: { why: "verl raises no alarms" },
      }),
      failed_groups: key(fraction().nullable(), 0.05, "Largest share of prompt groups in which a session failed.", {
        differs: { why: "verl raises no alarms" },
      }),
      truncated_responses: key(
        fraction().nullable(),
        0.8,
        "Largest share of responses that reach the limit on their length, in three steps in a row.",
        { differs: { why: "verl raises no alarms" } },
      ),
      staleness: key(optionalCount(), 8, "Largest age of the weights that sampled a trajectory.", {
        unit: "steps",
        differs: { why: "verl raises no alarms" },
      }),
      stalled_after_s: key(
        positive().nullable(),
        600,
        "Time without progress after which the run says who waits for whom; it is not ended.",
        { unit: "s", differs: { why: "verl waits in silence" } },
      ),
    },
  ),
  v1: section("The training loop and its replay buffer.", {
    trainer_mode: key(text(), "sync", "Training loop, by registered name.", { registry: "trainers" }),
    sync: open("Options of the mode `sync`; it has none."),
    sampler: section("The replay buffer: which finished prompt groups train next.", {
      max_off_policy_threshold: key(count(), 8, "Steps after which a group counts as stale (asynchronous modes).", {
        unit: "steps",
      }),
      max_off_policy_strategy: key(
        z.enum(["drop", "wait"]),
        "drop",
        "drop = evict stale groups; wait = pause sampling until they are done (asynchronous modes).",
      ),
      sync_refill_failed_groups: key(
        flag(),
        false,
        "Mode `sync`: replace a group without any trajectory by another prompt instead of reporting the shortfall.",
      ),
      custom_sampler: userExport("A replay buffer", null),
      sampler_kwargs: open("Handed to the replay buffer."),
    }),
  }),
});
