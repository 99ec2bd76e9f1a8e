import type { ComposedConfig } from "./compose/compose.js";
import { checkKeys } from "./keys/check-keys.js";
import { checkNames } from "./keys/check-names.js";
import { checkPluginSchemas, deprecatedSettings, type PluginSchema } from "./keys/plugin-schemas.js";
import { hubNotices, missingFiles } from "./named-files.js";
import { type Notice, type Problem, problemsError, restsOn } from "./problems.js";
import { adapterRules } from "./rules/adapter-rules.js";
import { consistencyRules, groupRules, inputRules } from "./rules/consistency-rules.js";
import { countRules } from "./rules/count-rules.js";
import { optimizerRules } from "./rules/optimizer-rules.js";
import { rewardRules } from "./rules/reward-rules.js";
import { type Rule, RuleReport } from "./rules/rules.js";
import { sizeRules } from "./rules/size-rules.js";
import { unavailableRules } from "./rules/unavailable-rules.js";
import type { RunConfig } from "./schema/root.js";

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
    const files = missingFiles(config, tree, options.cwd, options.forTraining === true);
    problems.push(...files.filter(({ key }) => !isAmong(known, key)));
    if (!options.withoutModel) notices.push(...hubNotices(config, tree, options.cwd));
  }
  return { config, problems, notices };
}

const isAmong = (problems: readonly Problem[], key: string) => problems.some((problem) => problem.key === key);
