import { lineLogger } from "../../core/host/basics.js";
import type { PluginSource } from "../../core/host/index.js";
import { type InspectedPlugins, inspectPlugins, lockText } from "../../core/inspect-plugins.js";
import { EXIT } from "../program/report-error.js";
import { formatTable } from "../program/table.js";

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
 * broken plugin can be looked at. With the text of the lock that it amounts to.
 */
export function listPlugins(request: PluginsRequest): PluginsOutput & { readonly lockText: string } {
  const found = inspectPlugins({ ...request, logger: quiet });
  const lines = [tableOf(found)];
  const ok = found.failed.length === 0;
  for (const { error } of found.failed) lines.push("", error.message);
  const exitCode = ok ? EXIT.ok : EXIT.usage;
  return { text: lines.join("\n"), json: listJson(found), exitCode, lockText: lockText(found.lock) };
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
