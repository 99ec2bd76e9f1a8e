import { nearestName } from "../host/nearest.js";
import { adapterRules } from "./adapter-rules.js";
import { configKeys } from "./catalogue.js";
import { checkKeys } from "./check-keys.js";
import type { ComposedConfig } from "./compose.js";
import { consistencyRules, groupRules, inputRules } from "./consistency-rules.js";
import { countRules } from "./count-rules.js";
import { hubNotices, missingFiles } from "./named-files.js";
import { optimizerRules } from "./optimizer-rules.js";
import { checkPluginSchemas, deprecatedSettings, type PluginSchema } from "./plugin-schemas.js";
import { MAX_PROBLEMS, type Notice, type Problem, problemsError, restsOn } from "./problems.js";
import { rewardRules } from "./reward-rules.js";
import { type Rule, RuleReport } from "./rules.js";
import type { RunConfig } from "./schema/root.js";
import { sizeRules } from "./size-rules.js";
import { type Dict, nodeAt, sourceText, toPlain, valueText } from "./tree.js";
import { unavailableRules } from "./unavailable-rules.js";

export interface ValidateOptions {
  /** Schemas that the plugins of this run bring. */
  readonly pluginSchemas?: readonly PluginSchema[];
  /** Names that are registered, by registry (`trainers`, `trackers`, ...). A registry that is absent is not checked. */
  readonly names?: Readonly<Record<string, readonly string[]>>;
  /** Rules of rooms that know more of a section than its schema says. */
  readonly rules?: readonly Rule[];
  /** Look whether the files that are named exist; paths start at this folder. Absent: files are not looked at. */
  readonly cwd?: string;
  /** No model is going to be read. */
  readonly withoutModel?: boolean;
  /** Also demand what a training run needs: a model and data. False: nor warn of groups that a training could not learn from. */
  readonly forTraining?: boolean;
}

export interface ValidatedConfig {
  readonly config: RunConfig;
  readonly notices: readonly Notice[];
}

export interface ConfigFindings {
  /** With defaults in place of values that have the wrong type; to be used only if there are no problems. */
  readonly config: RunConfig;
  readonly problems: readonly Problem[];
  readonly notices: readonly Notice[];
}

/** Phase two: the whole configuration is checked, and all problems are thrown as one error. */
export async function validateConfig(
  composed: ComposedConfig,
  options: ValidateOptions = {},
): Promise<ValidatedConfig> {
  const { config, problems, notices } = await inspectConfig(composed, options);
  if (problems.length > 0) throw problemsError(problems);
  return { config, notices };
}

/** Like {@link validateConfig}, but returns what it finds. */
export async function inspectConfig(composed: ComposedConfig, options: ValidateOptions = {}): Promise<ConfigFindings> {
  const { tree } = composed;
  const schemas = options.pluginSchemas ?? [];
  const { config, ...keys } = checkKeys(tree, schemas);
  // A reference that leads nowhere has a default in its place, which is not to be judged.
  const known = [...composed.problems, ...keys.problems.filter(({ key }) => !isAmong(composed.problems, key))];
  const names = checkNames(composed, options.names ?? {}).filter(({ key }) => !isAmong(composed.problems, key));
  const problems: Problem[] = [...known, ...names];
  const notices: Notice[] = [...composed.notices, ...keys.notices, ...deprecatedSettings(tree, schemas)];
  problems.push(...(await checkPluginSchemas(config, tree, schemas)));
  const report = new RuleReport(config, tree);
  for (const rule of [
    ...sizeRules,
    ...countRules,
    ...consistencyRules,
    ...optimizerRules,
    ...adapterRules,
    ...unavailableRules,
    ...rewardRules,
    ...(options.rules ?? []),
    ...(options.forTraining ? inputRules : []),
    ...(options.forTraining === false ? [] : groupRules),
  ])
    rule(report);
  problems.push(...report.problems.filter((problem) => !restsOn(problem, known)));
  notices.push(...report.notices);
  if (options.cwd !== undefined) {
    const files = missingFiles(config, tree, options.cwd);
    problems.push(...files.filter(({ key }) => !isAmong(known, key)));
    if (!options.withoutModel) notices.push(...hubNotices(config, tree, options.cwd));
  }
  return { config, problems, notices };
}

const isAmong = (problems: readonly Problem[], key: string) => problems.some((problem) => problem.key === key);

function namesLoopList(tree: Dict): boolean {
  const list = nodeAt(tree, ["actor_rollout_ref", "rollout", "agent", "agent_loop_config_path"]);
  return list !== null && toPlain(list) !== null;
}

/** A module is meant where a class of one's own may stand, and its export is missing. */
function unknownNameFix(registry: string, name: string): string {
  if (registry === "agentLoopManagers" && /[./]/.test(name)) {
    return `For a class of your own write file#Class, e.g. ${/\.[cm]?[jt]sx?$/.test(name) ? name : "./manager.ts"}#MyManager.`;
  }
  return "Use one of them, or load the plugin that registers it (VERL_USE_EXTERNAL_MODULES, or plugins in the file).";
}

/** Values that name registered things: trainers, trackers, engines, ... */
export function checkNames({ tree }: ComposedConfig, names: Readonly<Record<string, readonly string[]>>): Problem[] {
  const problems: Problem[] = [];
  const told = new Set<string>();
  for (const { key, path, registry } of configKeys) {
    const known = registry ? names[registry] : undefined;
    const node = nodeAt(tree, path);
    if (!known || !node) continue;
    // The loops of a list are known once its files are loaded; that the default one is among them is checked there.
    if (registry === "agentLoops" && namesLoopList(tree)) continue;
    for (const name of [toPlain(node)].flat()) {
      if (problems.length === MAX_PROBLEMS) return problems;
      if (registry === "agentLoopManagers" && String(name).includes("#")) continue;
      if (typeof name !== "string" || known.includes(name) || (registry === "platforms" && name === "auto")) continue;
      // A default that takes over another key's value, like the reference's engine from the actor's, is told once.
      if (node.source.kind === "default" && told.has(`${registry} ${name}`)) continue;
      told.add(`${registry} ${name}`);
      const nearest = nearestName(name, known);
      problems.push({
        code: "VERL_CONFIG_NAME",
        key,
        what: `${key} = ${valueText(name)}: no such name is registered.${nearest ? ` Did you mean ${nearest}?` : ""}`,
        where: sourceText(node.source),
        why: known.length > 0 ? `Registered: ${[...known].sort().join(", ")}.` : "Nothing of this kind is registered.",
        fix: unknownNameFix(registry as string, name),
      });
    }
  }
  return problems;
}
