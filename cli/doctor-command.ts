import { existsSync } from "node:fs";
import path from "node:path";
import { composeConfig, parseHubReference, toPlain } from "../core/config/index.js";
import { hubSnapshot } from "../core/formats/index.js";
import { reasonOf } from "../core/host/basics.js";
import type { Host } from "../core/index.js";
import type { Diagnosis, TrackerOptions } from "../core/plugin.js";
import { commandLogger } from "./command-logger.js";
import { diagnoseMachine, diagnoseOptionalPackages } from "./doctor/machine.js";
import { diagnosePlatforms, diagnosePlugins } from "./doctor/plugins.js";
import { diagnoseSandboxes, type SandboxSettings } from "./doctor/sandboxes.js";
import { diagnoseTokenizer } from "./doctor/tokenizer.js";
import { diagnoseTrackers } from "./doctor/trackers.js";
import { type CommandIo, painter, printJson, printLine } from "./io.js";
import { type ConfigRequest, startHost } from "./prepare-run.js";
import { EXIT } from "./report-error.js";
import { type TrackerKeys, trackerSettings } from "./tracker-settings.js";

export interface DoctorRequest extends ConfigRequest {
  /** Model whose tokenizer and template are checked; null: the configuration's, if it names one. */
  readonly model: string | null;
}

/** `verl doctor`: looks at everything that a run needs, and says what to do about what is missing. */
export async function doctorCommand(request: DoctorRequest, io: CommandIo): Promise<number> {
  const composed = await composeConfig({ ...request, env: io.env, cwd: io.cwd });
  const { trainer, data, actor_rollout_ref, reward } = toPlain(composed.tree) as {
    trainer: { default_local_dir: string; device: string; logger: string | string[] } & TrackerKeys;
    data: { apply_chat_template_kwargs: Record<string, unknown> };
    reward: SandboxSettings;
    actor_rollout_ref: {
      model: { path: string | null; tokenizer_path: string | null; custom_chat_template: string | null };
    };
  };
  const findings: Diagnosis[] = await diagnoseMachine(path.resolve(io.cwd, trainer.default_local_dir));
  findings.push(...diagnoseOptionalPackages());
  const trackers = { names: [trainer.logger].flat(), options: { env: io.env, settings: trackerSettings(trainer) } };
  findings.push(...(await diagnoseHost(composed.plugins, reward, trackers, io)));
  const model = request.model ?? actor_rollout_ref.model.tokenizer_path ?? actor_rollout_ref.model.path;
  const tokens =
    model === null
      ? null
      : await diagnoseTokenizer(await cachedModel(model, io), {
          chatTemplate: actor_rollout_ref.model.custom_chat_template,
          kwargs: data.apply_chat_template_kwargs,
        });
  findings.push(...(tokens?.findings ?? []));

  const ok = findings.every(({ status }) => status !== "failed");
  if (request.json) printJson(io, { ok, findings, template: tokens?.template ?? null });
  else printFindings(findings, io);
  return ok ? EXIT.ok : EXIT.failed;
}

/** Where a model's files are. A look at the machine downloads nothing: of the Hub it sees the cache. */
async function cachedModel(model: string, io: CommandIo): Promise<string> {
  const local = path.resolve(io.cwd, model);
  const reference = existsSync(local) ? null : parseHubReference(model);
  if (!reference) return local;
  const env = { ...io.env, HF_HUB_OFFLINE: "1" };
  return hubSnapshot(reference, { env, logger: commandLogger(io) }).catch(() => local);
}

async function diagnoseHost(
  plugins: readonly string[],
  reward: SandboxSettings,
  trackers: { readonly names: readonly string[]; readonly options: TrackerOptions },
  io: CommandIo,
): Promise<Diagnosis[]> {
  let host: Host;
  try {
    host = await startHost({ allowBrokenPlugins: true, json: true }, plugins, io);
  } catch (error) {
    return [{ name: "plugins", status: "failed", detail: reasonOf(error).split("\n")[0] }];
  }
  try {
    return [
      ...diagnosePlugins(host),
      ...(await diagnosePlatforms(host, io.env)),
      ...(await diagnoseEngines(host)),
      ...(await diagnoseSandboxes(host, reward)),
      ...(await diagnoseTrackers(host, trackers.names, trackers.options)),
    ];
  } finally {
    await host.dispose();
  }
}

/** What engines and inference servers say about themselves. */
async function diagnoseEngines({ registries }: Host): Promise<Diagnosis[]> {
  const items = [...registries.engines.items(), ...registries.rollouts.items()];
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
