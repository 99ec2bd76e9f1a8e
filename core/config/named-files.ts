import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { isVerlError, reasonOf } from "../host/errors.js";
import { userModulePath } from "../host/loading/user-module.js";
import { otherThanFile } from "../host/util/regular-file.js";
import { type Dict, isSet, nodeAt, sourceText } from "./compose/tree.js";
import { type HubReference, parseHubReference } from "./hub-reference.js";
import type { Notice, Problem } from "./problems.js";
import { criticUsed } from "./rules/size-rules.js";
import type { RunConfig } from "./schema/root.js";

/** Files that the configuration names and that are none, or not there; of data only where they are trained on. Nothing of them is read or run. */
export function missingFiles(config: RunConfig, tree: Dict, cwd: string, forTraining: boolean): Problem[] {
  const problems = userModules(config).flatMap(([key, reference]) => missingModule(key, reference, cwd) ?? []);
  const named = [...listsOf(config), ...(forTraining ? dataFiles(config) : [])];
  for (const [key, file] of named) {
    const info = file === null ? null : statSync(path.resolve(cwd, file), { throwIfNoEntry: false });
    const other = info && otherThanFile(info);
    if (file === null || (info && other === null)) continue;
    problems.push(other ? notAFile(key, file, other) : missing(key, file, cwd));
  }
  return problems.map((problem) => {
    const node = nodeAt(tree, problem.key.split("."));
    return { ...problem, where: node ? sourceText(node.source) : undefined };
  });
}

type NamedFile = readonly [key: string, file: string | null];

function listsOf({ actor_rollout_ref }: RunConfig): readonly NamedFile[] {
  const { agent, multi_turn } = actor_rollout_ref.rollout;
  const at = "actor_rollout_ref.rollout";
  return [
    [`${at}.agent.agent_loop_config_path`, agent.agent_loop_config_path],
    [`${at}.multi_turn.interaction_config_path`, multi_turn.interaction_config_path],
    [`${at}.multi_turn.tool_config_path`, multi_turn.tool_config_path],
  ];
}

/** What the default data set reads; others know what their files are. */
function dataFiles({ data, trainer }: RunConfig): readonly NamedFile[] {
  if (data.dataset !== "rlhf" || data.custom_cls.path !== null) return [];
  return [
    ...(trainer.val_only ? [] : data.train_files.map((file) => ["data.train_files", file] as const)),
    ...data.val_files.map((file) => ["data.val_files", file] as const),
  ];
}

function userModules({
  trainer,
  reward,
  data,
  actor_rollout_ref,
}: RunConfig): (readonly [key: string, reference: string])[] {
  const { source, module } = reward.reward_manager;
  const { agent_loop_manager_class: manager } = actor_rollout_ref.rollout.agent;
  const named: readonly (readonly [string, string | null | undefined])[] = [
    ...trainer.hooks.map((file) => ["trainer.hooks", file] as const),
    ["actor_rollout_ref.rollout.agent.agent_loop_manager_class", manager?.includes("#") ? manager.split("#")[0] : null],
    ["trainer.checkpoint_callback_class", trainer.checkpoint_callback_class?.split("#")[0]],
    ["reward.custom_reward_function.path", reward.custom_reward_function.path],
    ["reward.reward_manager.module.path", source === "importlib" ? module.path : null],
    ["data.custom_cls.path", data.custom_cls.path],
    ["data.sampler.class_path", data.sampler.class_path],
    ["trainer.v1.sampler.custom_sampler.path", trainer.v1.sampler.custom_sampler.path],
  ];
  return named.flatMap(([key, reference]) => (reference ? [[key, reference] as const] : []));
}

function missingModule(key: string, reference: string, cwd: string): Problem | null {
  try {
    userModulePath(reference, cwd);
    return null;
  } catch (error) {
    return missing(key, reference, cwd, isVerlError(error) ? error.why : reasonOf(error));
  }
}

function missing(key: string, file: string, cwd: string, why?: string): Problem {
  return {
    code: "VERL_CONFIG_FILE_MISSING",
    key,
    what: `${key} names ${JSON.stringify(file)}, which does not exist.`,
    why: why ?? `There is no ${path.resolve(cwd, file)}.`,
  };
}

function notAFile(key: string, file: string, other: string): Problem {
  const what =
    file === ""
      ? `${key} names a file with the empty name.`
      : `${key} names ${JSON.stringify(file)}, which is ${other}.`;
  return {
    code: "VERL_CONFIG_FILE_MISSING",
    key,
    what,
    fix: "Name the file itself; relative paths start at the working directory.",
  };
}

/** What will be downloaded, said before it is. */
export function hubNotices(config: RunConfig, tree: Dict, cwd: string): Notice[] {
  const set = hubModels(config, cwd).filter(({ key }) => isSet(tree, key));
  return set.map(({ key, value }) => {
    const node = nodeAt(tree, key.split("."));
    const message = `There is no ${value} here: ${key} is read from the Hugging Face Hub, or its cache, when a run starts.`;
    return { level: "notice", key, message, where: node ? sourceText(node.source) : undefined };
  });
}

/** A key that names a model on the Hugging Face Hub. */
export interface HubModel {
  readonly key: string;
  readonly value: string;
  readonly reference: HubReference;
}

/** Models that are read from the Hub: named like one, and no folder or file of that name is there. */
export function hubModels(config: RunConfig, cwd: string): HubModel[] {
  const { actor_rollout_ref, reward } = config;
  const { reward_model: model } = reward;
  const critic = criticUsed(config) ? config.critic.model : null;
  const isComputed = model.enable && model.rollout.name === "engine";
  const named: readonly (readonly [key: string, value: string | null])[] = [
    ["actor_rollout_ref.model.path", actor_rollout_ref.model.path],
    ["actor_rollout_ref.model.tokenizer_path", actor_rollout_ref.model.tokenizer_path],
    ["critic.model.path", critic?.path ?? null],
    ["critic.model.tokenizer_path", critic?.tokenizer_path ?? null],
    // On a server the path is but a name.
    ["reward.reward_model.model_path", isComputed ? model.model_path : null],
    ["reward.reward_model.tokenizer_path", model.enable ? model.tokenizer_path : null],
  ];
  return named.flatMap(([key, value]) => {
    const reference = value === null || existsSync(path.resolve(cwd, value)) ? null : parseHubReference(value);
    return reference ? [{ key, value: value as string, reference }] : [];
  });
}
