import {
  type ComposedConfig,
  type ConfigFindings,
  composeAnyway,
  hubModels,
  inspectConfig,
  type Notice,
  type Problem,
  problemOf,
  problemsError,
  type RunConfig,
  type ValidateOptions,
} from "../../core/config/index.js";
import { isVerlError, type VerlError } from "../../core/host/basics.js";
import type { LogLevel } from "../../core/host/index.js";
import type { Host } from "../../core/index.js";
import { commandLogger } from "../program/command-logger.js";
import { type CommandIo, painter, printLine } from "../program/io.js";

/** What every command that composes a configuration takes. */
export interface ConfigRequest {
  readonly files: readonly string[];
  readonly overrides: readonly string[];
  readonly json: boolean;
  readonly allowBrokenPlugins?: boolean;
  /** The lock to demand: its file, or true for the usual one. */
  readonly frozenPlugins?: boolean | string;
}

/** A configuration that was checked against the loaded plugins, and the host that loaded them. */
export interface PreparedRun {
  readonly composed: ComposedConfig;
  readonly config: RunConfig;
  readonly notices: readonly Notice[];
  readonly host: Host;
}

/**
 * Both phases: compose, load the plugins that the composition names, check everything against what they registered. Models
 * of the Hugging Face Hub are fetched. The caller disposes the host.
 */
export async function prepareRun(
  request: ConfigRequest,
  io: CommandIo,
  options: Pick<ValidateOptions, "forTraining" | "withoutModel">,
): Promise<PreparedRun> {
  const composed = await composeAnyway({ ...request, env: io.env, cwd: io.cwd });
  const level = options.forTraining ? "info" : "warn";
  const host = await startHost(request, composed.plugins, io, level).catch((error: unknown) => {
    if (composed.problems.length === 0 || !isVerlError(error)) throw error;
    throw problemsError([...composed.problems, problemOf(error, "plugins")]);
  });
  try {
    const checked = await inspectConfig(composed, { ...(await whatIsRegistered(host)), cwd: io.cwd, ...options });
    if (checked.problems.length > 0)
      throw problemsError(await allProblems(composed, checked, { host, io, ...options }));
    const { notices } = checked;
    if (!request.json) printNotices(notices, io);
    const config = options.withoutModel ? checked.config : await withLocalModels(checked.config, io);
    return { composed, config, notices, host };
  } catch (error) {
    await host.dispose();
    throw error;
  }
}

/** What the configuration is wrong with in itself, where plugins that might bring names and keys cannot be loaded. */
export async function withoutPlugins(
  composed: ComposedConfig,
  error: VerlError,
  options: { readonly cwd: string; readonly forTraining: boolean },
): Promise<ConfigFindings> {
  const found = await inspectConfig(composed, options);
  const mayBeBrought = ({ code }: Problem) => code === "VERL_CONFIG_UNKNOWN_KEY";
  return { ...found, problems: [problemOf(error, "plugins"), ...found.problems.filter((one) => !mayBeBrought(one))] };
}

/** With those that engines and servers would find: a user corrects a file once. */
async function allProblems(
  composed: ComposedConfig,
  { config, problems }: ConfigFindings,
  { host, io, forTraining }: { readonly host: Host; readonly io: CommandIo; readonly forTraining?: boolean },
): Promise<readonly Problem[]> {
  if (!forTraining) return problems;
  const { askPlan } = await import("./plan-check.js");
  const answer = await askPlan(composed, config, problems, { host, io });
  return "checked" in answer ? [...problems, ...answer.checked.problems] : problems;
}

/** Models of the Hugging Face Hub are downloaded before anything else starts. */
async function withLocalModels(config: RunConfig, io: CommandIo): Promise<RunConfig> {
  if (hubModels(config, io.cwd).length === 0) return config;
  const { localModels } = await import("../../core/trainer/index.js");
  return localModels(config, { cwd: io.cwd, env: io.env, logger: commandLogger(io) });
}

/** The host of this process, with the built-ins and the plugins that configuration and environment name. */
export async function startHost(
  request: Pick<ConfigRequest, "allowBrokenPlugins" | "frozenPlugins" | "json">,
  plugins: readonly string[],
  io: CommandIo,
  level: LogLevel = "warn",
): Promise<Host> {
  const [{ createHost }, { AGENT_MAIN, BUILTINS, RANK_MAIN, REWARD_MAIN }] = await Promise.all([
    import("../../core/index.js"),
    import("../builtins.js"),
  ]);
  const { allowBrokenPlugins, frozenPlugins } = request;
  const logger = commandLogger(io, level);
  const where = { cwd: io.cwd, env: io.env, logger };
  const mains = { agentMain: AGENT_MAIN, rankMain: RANK_MAIN, rewardMain: REWARD_MAIN };
  return createHost({ ...where, ...mains, plugins, builtins: BUILTINS, allowBrokenPlugins, frozenPlugins });
}

/** Names, schemas and rules that the configuration is checked against. */
export async function whatIsRegistered(
  host: Host,
): Promise<Pick<ValidateOptions, "names" | "pluginSchemas" | "rules">> {
  const { rolloutCorrectionRule } = await import("../../core/algorithms/index.js");
  const { registries } = host;
  const names: Record<string, readonly string[]> = {};
  for (const [name, registry] of Object.entries(registries)) {
    // Platforms have aliases that only a probe knows; choosing one reports unknown names itself.
    if (name !== "platforms") names[name] = registry.keys();
  }
  names.engines = registries.engines.items().flatMap(({ item }) => item.backends);
  return { names, pluginSchemas: host.configSchemas, rules: [rolloutCorrectionRule] };
}

export function printNotices(notices: readonly Notice[], io: CommandIo): void {
  const paint = painter(io.color.stderr);
  for (const { level, message, where, deprecation } of notices) {
    const loud = level === "warning" || deprecation !== undefined;
    const label = loud ? paint("yellow", deprecation ? "deprecated" : "warning") : paint("cyan", "note");
    printLine(io.stderr, `${label} ${message}${where ? ` ${paint("dim", `(${where})`)}` : ""}`);
  }
}
