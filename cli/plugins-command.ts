import path from "node:path";
import { LOCK_FILE, lineLogger, type PluginSource, writeLock } from "../core/host/index.js";
import { createHost, type InspectedPlugins, inspectPlugins } from "../core/index.js";
import { BUILTINS } from "./builtins.js";
import { diagnosePlatforms, diagnosePlugins } from "./doctor/plugins.js";
import { EXIT } from "./report-error.js";
import { formatTable } from "./table.js";

/** Where plugins are looked for, and what the configuration names. */
export interface PluginsRequest {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The configuration's `plugins`. */
  readonly plugins: readonly string[];
}

/** What a subcommand prints: `text` for people, `json` for `--json`. */
export interface PluginsOutput {
  readonly text: string;
  readonly json: unknown;
  readonly exitCode: number;
}

export const SOURCES: Readonly<Record<PluginSource, string>> = {
  builtin: "built in",
  environment: "VERL_USE_EXTERNAL_MODULES",
  config: "plugins (configuration)",
  discovered: "VERL_USE_EXTERNAL_PLUGINS",
  lock: "lock",
  user: "configuration",
};
export const quiet = lineLogger(() => {});

/**
 * `verl plugins list`: what a run from here would load, and what is installed besides. Reads manifests only, so that a
 * broken plugin can be looked at. `writeLockTo` records the lock for `--frozen-plugins`; true takes the default file.
 */
export function listPlugins(request: PluginsRequest, writeLockTo: string | boolean = false): PluginsOutput {
  const found = inspectPlugins({ ...request, logger: quiet });
  const lines = [tableOf(found)];
  const ok = found.failed.length === 0;
  for (const { error } of found.failed) lines.push("", error.message);
  if (writeLockTo && ok) {
    const file = path.resolve(request.cwd, writeLockTo === true ? LOCK_FILE : writeLockTo);
    writeLock(file, found.lock);
    lines.push("", `Recorded the lock of ${found.plugins.length} plugins in ${file}.`);
  }
  return { text: lines.join("\n"), json: listJson(found), exitCode: ok ? EXIT.ok : EXIT.usage };
}

/** `verl plugins tree`: loads them, and shows what each registered, who replaced whom, and what it took. */
export async function pluginTree(request: PluginsRequest): Promise<PluginsOutput> {
  const host = await createHost({ ...request, builtins: BUILTINS, logger: quiet, allowBrokenPlugins: true });
  try {
    const { report } = host;
    const exitCode = report.failures.length === 0 ? EXIT.ok : EXIT.usage;
    return { text: report.tree(), json: report.toJSON(), exitCode };
  } finally {
    await host.dispose();
  }
}

/** `verl plugins doctor`: loads every plugin, probes every platform, and says what is wrong and how to fix it. */
export async function pluginDoctor(request: PluginsRequest): Promise<PluginsOutput> {
  const host = await createHost({ ...request, builtins: BUILTINS, logger: quiet, allowBrokenPlugins: true });
  try {
    const findings = [...diagnosePlugins(host), ...(await diagnosePlatforms(host, request.env))];
    const text = findings.map(({ name, status, detail, fix }) => {
      const head = `${status.padEnd(7)}  ${name}: ${detail}`;
      return fix ? `${head}\n         fix: ${fix}` : head;
    });
    const failed = findings.some((f) => f.status === "failed");
    return { text: text.join("\n"), json: { findings }, exitCode: failed ? EXIT.usage : EXIT.ok };
  } finally {
    await host.dispose();
  }
}

function tableOf({ plugins, installed }: InspectedPlugins): string {
  const rows = plugins.map((p) => [
    p.name,
    p.version,
    SOURCES[p.source],
    p.manifest?.provides.join(", ") ?? "said when it is imported",
    p.processes === "all" ? "all" : p.processes.join(", "),
  ]);
  const idle = installed.filter(({ name }) => !plugins.some((p) => p.name === name));
  for (const { name, version } of idle) rows.push([name, version, "installed, not loaded", "", ""]);
  if (rows.length === 0) return "No plugins besides the built-ins.";
  return formatTable(["plugin", "version", "loaded by", "provides", "processes"], rows);
}

function listJson({ plugins, installed, failed, lock }: InspectedPlugins): unknown {
  return {
    plugins: plugins.map(({ name, version, specifier, source, hash, entry, processes, manifest }) => ({
      ...{ name, version, specifier, source, hash, entry, processes },
      provides: manifest?.provides ?? null,
    })),
    available: installed.filter(({ name }) => !plugins.some((p) => p.name === name)),
    failed: failed.map(({ specifier, source, phase, error }) => ({ specifier, source, phase, error: error.toJSON() })),
    lock,
  };
}
