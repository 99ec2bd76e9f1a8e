import { existsSync } from "node:fs";
import path from "node:path";
import { isVerlError, reasonOf } from "../host/errors.js";
import { userModulePath } from "../host/user-module.js";
import type { Problem } from "./problems.js";
import type { RunConfig } from "./schema/root.js";
import { type Dict, nodeAt, sourceText } from "./tree.js";

/** A repository on the Hugging Face Hub, `owner/name`. */
const HUB_ID = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;

/** Files that the configuration names and that are not there. Nothing of them is read or run. */
export function missingFiles(
  config: RunConfig,
  tree: Dict,
  { cwd, withoutModel = false }: { readonly cwd: string; readonly withoutModel?: boolean },
): Problem[] {
  const problems = userModules(config).flatMap(([key, reference]) => missingModule(key, reference, cwd) ?? []);
  const { agent_loop_config_path: loops } = config.actor_rollout_ref.rollout.agent;
  if (loops !== null && !existsSync(path.resolve(cwd, loops))) {
    problems.push(missing("actor_rollout_ref.rollout.agent.agent_loop_config_path", loops, cwd));
  }
  if (!withoutModel) problems.push(...hubIds(config, cwd));
  return problems.map((problem) => {
    const node = nodeAt(tree, problem.key.split("."));
    return { ...problem, where: node ? sourceText(node.source) : undefined };
  });
}

function userModules({ trainer, reward, data }: RunConfig): (readonly [key: string, reference: string])[] {
  const { source, module } = reward.reward_manager;
  const named: readonly (readonly [string, string | null | undefined])[] = [
    ...trainer.hooks.map((file) => ["trainer.hooks", file] as const),
    ["trainer.checkpoint_callback_class", trainer.checkpoint_callback_class?.split("#")[0]],
    ["reward.custom_reward_function.path", reward.custom_reward_function.path],
    ["reward.reward_manager.module.path", source === "importlib" ? module.path : null],
    ["data.custom_cls.path", data.custom_cls.path],
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

function hubIds({ actor_rollout_ref: { model } }: RunConfig, cwd: string): Problem[] {
  return (["path", "tokenizer_path"] as const).flatMap((name) => {
    const value = model[name];
    if (value === null || !HUB_ID.test(value) || existsSync(path.resolve(cwd, value))) return [];
    return {
      code: "VERL_CONFIG_HUB_ID",
      key: `actor_rollout_ref.model.${name}`,
      what: `There is no folder ${value}, and as a Hub id it cannot be used: this version does not download models.`,
      fix: `Download the model's folder by hand, e.g. \`hf download ${value} --local-dir ./${value.split("/")[1]}\`, and name that folder.`,
    } satisfies Problem;
  });
}
