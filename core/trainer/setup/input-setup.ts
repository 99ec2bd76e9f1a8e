import path from "node:path";
import { checkAgentNames, checkRowInteractions, checkRowTools, interactionNames } from "../../agent/index.js";
import type { RunConfig } from "../../config/run-config.js";
import {
  checkRowSampling,
  type Dataset,
  loadTokenizer,
  type Row,
  type RunMedia,
  type Tokenizer,
} from "../../data/index.js";
import type { DatasetOptions } from "../../data/rows/dataset.js";
import { trainerErrors } from "../errors.js";
import type { InputScope } from "../run-scope.js";
import { checkedDataset } from "./checked-dataset.js";
import { createRunLoops, type RunLoops } from "./loops-setup.js";
import { createRunMedia, type ShownMedia, shownMedia } from "./media-setup.js";
import { createRewards, type RunRewards } from "./rewards-setup.js";
import { createRunSandbox } from "./sandbox-setup.js";
import { createRunTools, type RunTools, sentTools } from "./tools-setup.js";
import { userPart } from "./user-parts.js";

/** What a run reads before anything heavy starts. */
export interface RunInputs {
  readonly tokenizer: Tokenizer;
  readonly media: RunMedia;
  /** What of them the data shows. */
  readonly shown: ShownMedia;
  /** Null for a run that only validates. */
  readonly train: Dataset | null;
  readonly validation: Dataset | null;
  readonly rewards: RunRewards;
  readonly tools: RunTools;
  readonly loops: RunLoops;
}

/**
 * Tokenizer, agent loops, data and reward; every row is known to have a loop, and to be scored. `now` is the clock of `strftime_now` in chat templates:
 * by default the time of this call, so that all prompts of a run see the same one.
 */
export async function openInputs(
  options: InputScope,
  cleanups: (() => Promise<void>)[],
  now: () => Date = frozenClock(),
): Promise<RunInputs> {
  const { config, cwd, services, logger } = options;
  const tokenizer = await openTokenizer(config, cwd, now);
  const media = await createRunMedia(options, tokenizer);
  cleanups.push(() => media.dispose());
  const sandbox = createRunSandbox(config.reward, services, logger);
  cleanups.push(() => sandbox.close());
  const tools = createRunTools(options, sandbox);
  cleanups.push(() => tools.close());
  const loops = await createRunLoops(options);
  const open = (split: "train" | "val") =>
    openDataset(options, { tokenizer, media, tools: { run: tools, loops } }, split);
  const train = config.trainer.val_only ? null : await open("train");
  const validation = config.data.val_files.length > 0 ? await open("val") : null;
  const datasets = [train, validation].filter((dataset) => dataset !== null);
  checkRowSampling(datasets);
  checkLoops(options, loops, datasets);
  await checkRows(options, { tools, loops }, datasets);
  const shown = shownMedia(datasets, media);
  const rewards = await createRewards(options, { tokenizer, media, sandbox, loops }, datasets);
  cleanups.push(() => rewards.dispose());
  return { tokenizer, media, shown, train, validation, rewards, tools, loops };
}

/** A manager of the user's own may know other names. */
function checkLoops({ config, services }: InputScope, { list }: RunLoops, datasets: readonly Dataset[]): void {
  const { agent } = config.actor_rollout_ref.rollout;
  if (agent.agent_loop_manager_class !== null) return;
  const registered = (name: string) => services.registries.agentLoops.require(name);
  checkAgentNames({ own: list.names, registered }, agent.default_agent_loop, datasets);
}

/** Loops that a simulated user answers. */
const WITH_USER = ["tool_agent", "tool", "partial_tool_agent", "async_partial_tool_agent"];

/** What rows say about tools and simulated users. A manager or loop of the user's own may read them otherwise. */
async function checkRows(
  { config, cwd }: InputScope,
  { tools, loops }: { readonly tools: RunTools; readonly loops: RunLoops },
  datasets: readonly Dataset[],
): Promise<void> {
  const { agent, multi_turn: multiTurn } = config.actor_rollout_ref.rollout;
  if (agent.agent_loop_manager_class !== null) return;
  const { names } = await tools.of(multiTurn);
  checkRowTools(names, (row) => loops.marksOf(row).rendersTools !== false, datasets);
  const configPath = multiTurn.interaction_config_path;
  if (configPath === null) return;
  const known = await interactionNames(configPath, cwd);
  const hasUser = (row: Row) => {
    const name = String(row.agent_name ?? agent.default_agent_loop);
    return WITH_USER.includes(name) && !loops.list.names.includes(name);
  };
  checkRowInteractions(known, hasUser, datasets);
}

function frozenClock(): () => Date {
  const now = new Date();
  return () => now;
}

/** The run's tokenizer. `now` is the clock of `strftime_now` in its chat template, by default the time of this call. */
export async function openTokenizer(config: RunConfig, cwd: string, now = frozenClock()): Promise<Tokenizer> {
  return loadTokenizer(tokenizerPath(config, cwd), {
    now,
    chatTemplate: config.actor_rollout_ref.model.custom_chat_template,
  });
}

/** The folder or file that the run's tokenizer is read from. */
export function tokenizerPath({ actor_rollout_ref: { model } }: RunConfig, cwd: string): string {
  const source = model.tokenizer_path ?? model.path;
  if (source !== null) return path.resolve(cwd, source);
  throw trainerErrors.VERL_TRAINER_NO_MODEL({
    what: "neither actor_rollout_ref.model.path nor actor_rollout_ref.model.tokenizer_path is set",
  });
}

/** Prompts that are sent without tools, and without a trainer around them. */
export interface PromptInputs {
  readonly tokenizer: Tokenizer;
  readonly media: RunMedia;
}

export async function openPromptInputs(scope: InputScope, cleanups: (() => Promise<void>)[]): Promise<PromptInputs> {
  const tokenizer = await openTokenizer(scope.config, scope.cwd);
  const media = await createRunMedia(scope, tokenizer);
  cleanups.push(() => media.dispose());
  return { tokenizer, media };
}

/** The data set of a split by itself. */
export async function readDataset(scope: InputScope, inputs: PromptInputs, split: "train" | "val"): Promise<Dataset> {
  return openDataset(scope, { ...inputs, tools: null }, split);
}

/** The data set that `data.dataset` names, or the one of `data.custom_cls`. */
export async function openDataset(
  options: InputScope,
  {
    tokenizer,
    media,
    tools,
  }: PromptInputs & { readonly tools: { readonly run: RunTools; readonly loops: RunLoops } | null },
  split: "train" | "val",
): Promise<Dataset> {
  const { config, services, cwd, logger, signal } = options;
  const { data } = config;
  const training = split === "train";
  // Counted on exactly what will be sent, whatever `data.*` names.
  const sent = tools && (await sentTools(tools, config.actor_rollout_ref.rollout.multi_turn));
  const own = await userPart<DatasetOptions, Dataset>(services, data.custom_cls, {
    key: "data.custom_cls",
    methods: ["at"],
  });
  const made = await (own ?? services.registries.datasets.require(data.dataset)).create({
    files: (training ? data.train_files : data.val_files).map((file) => path.resolve(cwd, file)),
    tokenizer,
    media,
    ...(sent ?? {}),
    split,
    signal,
    config: {
      promptKey: data.prompt_key,
      maxPromptLength: data.max_prompt_length,
      filterOverlongPrompts: data.filter_overlong_prompts,
      maxSamples: training ? data.train_max_samples : data.val_max_samples,
      shuffle: training ? data.shuffle : data.validation_shuffle,
      seed: data.seed,
      applyChatTemplateKwargs: data.apply_chat_template_kwargs,
      truncation: data.truncation,
      mediaColumns: { image: data.image_key, video: data.video_key, audio: data.audio_key },
      mediaRoot: data.media_root === null ? null : path.resolve(cwd, data.media_root),
    },
  });
  const dataset = checkedDataset(made, {
    name: own ? String(data.custom_cls.name) : data.dataset,
    where: own ? `${data.custom_cls.path} (data.custom_cls)` : "data.dataset",
  });
  const { report } = dataset;
  const left = report.overlong > 0 ? `, ${report.overlong} longer than ${data.max_prompt_length} tokens left out` : "";
  logger.info(`${training ? "training" : "validation"} data: ${dataset.length} of ${report.rows} rows${left}`);
  return dataset;
}
