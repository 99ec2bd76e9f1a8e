import path from "node:path";
import {
  type ComposedConfig,
  type ConfigFindings,
  composeAnyway,
  inspectConfig,
  type Problem,
  problemOf,
  problemsError,
  type RunConfig,
} from "../../core/config/index.js";
import { isVerlError, reasonOf } from "../../core/host/basics.js";
import type { Host } from "../../core/index.js";
import type { Diagnosis } from "../../core/plugin.js";
import { type CommandIo, painter, printJson, printLine } from "../program/io.js";
import { EXIT } from "../program/report-error.js";
import { type ConfigRequest, startHost, whatIsRegistered } from "../runs/prepare-run.js";
import { trackerSettings } from "../runs/tracker-settings.js";
import { diagnoseClock, fileSkew, readClock } from "./clock.js";
import { diagnoseMachine, diagnoseOptionalPackages } from "./machine.js";
import { diagnoseModels } from "./models.js";
import { ANSWER_MS, diagnoseNamed } from "./named.js";
import { diagnosePlatforms, diagnosePlugins } from "./plugins.js";
import { diagnoseSandboxes } from "./sandboxes.js";
import { diagnoseTrackers } from "./trackers.js";

/** What `diagnoseMachine` finds; the clock comes after it. */
const MACHINE_FINDINGS = 4;

export interface DoctorRequest extends ConfigRequest {
  /** Model whose files, tokenizer and template are checked; null: the configuration's, if it names one. */
  readonly model: string | null;
  /** Longest look at the values of the weights. */
  readonly scanSeconds: number;
}

/** `verl doctor`: looks at everything that a run needs, and says what to do about what is missing. */
export async function doctorCommand(request: DoctorRequest, io: CommandIo): Promise<number> {
  const before = readClock();
  const { composed, unread } = await composeReadable(request, io);
  // With defaults in place of values that are wrong, which `config check` tells of.
  const { config } = await inspectConfig(composed, { forTraining: false });
  const folder = path.resolve(io.cwd, config.trainer.default_local_dir);
  const findings: Diagnosis[] = await diagnoseMachine(folder);
  findings.push(...diagnoseOptionalPackages());
  const looked = await diagnoseHost(composed, request, io);
  // What is left of a configuration whose files cannot be read is no sound one.
  findings.push(
    ...unread,
    ...looked.filter(({ name, status }) => unread.length === 0 || name !== CONFIGURATION || status !== "ok"),
  );
  const { scanSeconds } = request;
  const models = await diagnoseModels(config, request.model, { scanSeconds, io });
  findings.push(...models.findings);
  const clock = { before, after: readClock(), fileSkewMs: await fileSkew(folder), servers: findings };
  findings.splice(MACHINE_FINDINGS, 0, ...diagnoseClock(clock));

  const ok = findings.every(({ status }) => status !== "failed");
  if (request.json) printJson(io, { ok, findings, template: models.template });
  else printFindings(findings, io);
  return ok ? EXIT.ok : EXIT.failed;
}

/** Of files that cannot be read, doctor says so, and looks at what overrides and defaults name. */
async function composeReadable(
  request: DoctorRequest,
  io: CommandIo,
): Promise<{ readonly composed: ComposedConfig; readonly unread: readonly Diagnosis[] }> {
  const given = { overrides: request.overrides, env: io.env, cwd: io.cwd };
  try {
    return { composed: await composeAnyway({ ...given, files: request.files }), unread: [] };
  } catch (error) {
    if (!isVerlError(error)) throw error;
    const unread = [configurationFinding(problemOf(error, ""))];
    return { composed: await composeAnyway({ ...given, files: [] }), unread };
  }
}

async function diagnoseHost(composed: ComposedConfig, request: DoctorRequest, io: CommandIo): Promise<Diagnosis[]> {
  let host: Host;
  try {
    host = await startHost({ allowBrokenPlugins: true, json: true }, composed.plugins, io);
  } catch (error) {
    const failed: Diagnosis = { name: "plugins", status: "failed", detail: reasonOf(error).split("\n")[0] };
    return [...composed.problems.map(configurationFinding), failed];
  }
  try {
    const found = await inspectConfig(composed, { ...(await whatIsRegistered(host)), cwd: io.cwd, forTraining: false });
    const { config } = found;
    const options = { cwd: io.cwd, env: io.env, timeoutMs: ANSWER_MS };
    const named = request.model === null ? config : namingModel(config, request.model);
    const trackers = { env: io.env, settings: trackerSettings(config.trainer) };
    const looked = await Promise.all([
      diagnosePlatforms(host, io.env),
      diagnoseEngines(host, config),
      diagnoseSandboxes(host, config.reward),
      diagnoseTrackers(host, config.trainer.logger, trackers),
      diagnoseNamed(host, named, options),
    ]);
    return [...diagnoseConfiguration(found, request), ...diagnosePlugins(host), ...looked.flat()];
  } finally {
    await host.dispose();
  }
}

/** The configuration with the model of `--model`. */
function namingModel(config: RunConfig, model: string): RunConfig {
  const { actor_rollout_ref } = config;
  return { ...config, actor_rollout_ref: { ...actor_rollout_ref, model: { ...actor_rollout_ref.model, path: model } } };
}

/** As many problems as are told one by one. */
const MAX_TOLD = 10;

/** Whether the files and overrides that were given are sound; said of none, where none were. */
function diagnoseConfiguration({ problems }: ConfigFindings, { files, overrides }: DoctorRequest): Diagnosis[] {
  if (files.length + overrides.length === 0) return [];
  if (problems.length === 0) return [{ name: CONFIGURATION, status: "ok", detail: "sound" }];
  const told = problems.slice(0, MAX_TOLD).map(configurationFinding);
  const more = problems.length - told.length;
  if (more === 0) return told;
  const fix = "`verl config check` lists every problem.";
  return [...told, { name: CONFIGURATION, status: "failed", detail: `and ${more} more`, fix }];
}

const CONFIGURATION = "configuration";

/** A problem of the configuration; in place of what is wrong doctor looks at the defaults. */
function configurationFinding(problem: Problem): Diagnosis {
  const { what, where, fix } = problemsError([problem]);
  const detail = where === undefined ? what : `${what} (${where})`;
  return { name: CONFIGURATION, status: "failed", detail, ...(fix === undefined ? {} : { fix }) };
}

/** What engines and inference servers say about themselves; the rollout that is chosen is asked with its options elsewhere. */
async function diagnoseEngines({ registries }: Host, { actor_rollout_ref }: RunConfig): Promise<Diagnosis[]> {
  const others = registries.rollouts.items().filter(({ keys }) => !keys.includes(actor_rollout_ref.rollout.name));
  const items = [...registries.engines.items(), ...others];
  const findings = await Promise.all(items.map(async ({ item }) => (await item.diagnose?.()) ?? []));
  return findings.flat();
}

function printFindings(findings: readonly Diagnosis[], io: CommandIo): void {
  const paint = painter(io.color.stdout);
  const marks = { ok: paint("green", "ok     "), warning: paint("yellow", "warning"), failed: paint("red", "failed ") };
  const width = Math.max(...findings.map(({ name }) => name.length));
  for (const { name, status, detail, fix } of findings) {
    printLine(io.stdout, `${marks[status]}  ${name.padEnd(width)}  ${detail}`);
    if (fix) printLine(io.stdout, `${" ".repeat(width + 11)}${paint("green", "fix:")} ${fix}`);
  }
}
