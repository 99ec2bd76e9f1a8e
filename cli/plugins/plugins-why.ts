import { type ComposedConfig, configKeys, type Node, nodeAt, sourceText, toPlain } from "../../core/config/index.js";
import { isVerlError, nearestName, type VerlError } from "../../core/host/basics.js";
import type { PluginRecord } from "../../core/host/index.js";
import { createHost, type Host, type InspectedPlugins, inspectPlugins } from "../../core/index.js";
import { BUILTINS } from "../builtins.js";
import { cliErrors } from "../errors.js";
import { EXIT } from "../program/report-error.js";
import { type PluginsOutput, type PluginsRequest, quiet, SOURCES } from "./plugins-list.js";

/** A name in a registry, who put it there, and what of the configuration asks for it. */
interface Registration {
  readonly kind: string;
  readonly key: string;
  readonly owner: string;
  /** Who had it before. */
  readonly replaced: readonly string[];
  /** `key (source)` of the settings that name it. */
  readonly usedBy: readonly string[];
}

interface Answer {
  readonly name: string;
  readonly plugin: PluginRecord | null;
  /** Plugins of the run that require it, or come after it. */
  readonly neededBy: readonly string[];
  /** A direct dependency of the project, loaded or not. */
  readonly installed: { readonly version: string; readonly root: string } | null;
  readonly registrations: readonly Registration[];
  /** Why it could not be loaded if it were asked for. */
  readonly problem: VerlError | null;
}

/**
 * `verl plugins why NAME`: why a plugin is loaded or is not, and who registered a name. An unknown name is an error with the
 * nearest one.
 */
export async function whyPlugin(
  name: string,
  request: PluginsRequest,
  composed: ComposedConfig,
): Promise<PluginsOutput> {
  const host = await createHost({ ...request, builtins: BUILTINS, logger: quiet, allowBrokenPlugins: true });
  try {
    const plan = inspectPlugins({ ...request, logger: quiet });
    const answer = answerOf(name, host, plan, request, composed);
    if (isUnknown(answer)) throw unknown(answer, host, plan);
    const failed = answer.plugin?.status === "failed";
    return { text: textOf(answer), json: jsonOf(answer), exitCode: failed ? EXIT.usage : EXIT.ok };
  } finally {
    await host.dispose();
  }
}

function answerOf(
  name: string,
  { report, registries }: Host,
  plan: InspectedPlugins,
  request: PluginsRequest,
  composed: ComposedConfig,
): Answer {
  const plugin = report.plugins.find((p) => p.name === name || p.specifier === name) ?? null;
  const installed = plan.installed.find((p) => p.name === name) ?? null;
  const registrations = Object.entries(registries).flatMap(([registry, { kind, items }]) =>
    items().flatMap(({ item, keys, owner }): Registration[] => {
      const names = [...keys, ...namesIn(item)];
      if (!names.includes(name)) return [];
      const replaced = report.overrides
        .filter((o) => o.kind === kind && keys.includes(o.key))
        .map(({ from }) => `${from.name}@${from.version}`);
      const key = keys.includes(name) ? name : keys.join(", ");
      return [
        { kind, key, owner: `${owner.name}@${owner.version}`, replaced, usedBy: usesOf(name, registry, composed) },
      ];
    }),
  );
  const neededBy = plan.plugins
    .filter(({ after, requires }) => [...after, ...requires.map((r) => r.replace(/(?!^)@.*$/, ""))].includes(name))
    .map((p) => p.name);
  const isKnown = plugin !== null || registrations.length > 0;
  return { name, plugin, neededBy, installed, registrations, problem: isKnown ? null : whyNot(name, request) };
}

/** Backends of an engine, aliases of a platform: what people call it beside its key. */
function namesIn(item: unknown): readonly string[] {
  const { backends, deviceName, aliases } = item as { backends?: string[]; deviceName?: string; aliases?: string[] };
  return [...(backends ?? []), ...(deviceName ? [deviceName] : []), ...(aliases ?? [])];
}

/** The settings that name it. */
function usesOf(name: string, registry: string, { tree }: ComposedConfig): string[] {
  return configKeys.flatMap((entry) => {
    if (entry.registry !== registry) return [];
    const node: Node | null = nodeAt(tree, entry.path);
    const value = node && toPlain(node);
    const names = Array.isArray(value) ? value : [value];
    return node && names.includes(name) ? [`${entry.key} (${sourceText(node.source)})`] : [];
  });
}

/** What would go wrong if it were asked for; null if nothing would. */
function whyNot(name: string, request: PluginsRequest): VerlError | null {
  const { failed } = inspectPlugins({ ...request, plugins: [...request.plugins, name], logger: quiet });
  return failed.find(({ specifier }) => specifier === name)?.error ?? null;
}

const isUnknown = ({ plugin, installed, registrations, problem }: Answer): boolean =>
  plugin === null && installed === null && registrations.length === 0 && problem?.code === "VERL_PLUGIN_NOT_FOUND";

function unknown({ name, problem }: Answer, { registries, report }: Host, plan: InspectedPlugins): VerlError {
  const names = [
    ...report.plugins.map((p) => p.name),
    ...plan.installed.map((p) => p.name),
    ...Object.values(registries).flatMap((registry) => registry.keys()),
  ];
  const nearest = nearestName(name, names);
  return cliErrors.VERL_CLI_UNKNOWN_NAME({
    what: `Nothing is called ${name}: no plugin, no package, no registered name.${nearest ? ` Did you mean ${nearest}?` : ""}`,
    why: problem?.why,
  });
}

function textOf(answer: Answer): string {
  const { name, plugin, installed, registrations, problem, neededBy } = answer;
  const lines: string[] = [];
  if (plugin) lines.push(...pluginLines(plugin));
  else if (installed) {
    lines.push(
      `${name}@${installed.version} is installed (${installed.root}) and not loaded: nobody asks for it.`,
      `  to load it: VERL_USE_EXTERNAL_MODULES=${name}, or plugins: [${name}] in the configuration`,
    );
  } else if (problem === null && registrations.length === 0) {
    lines.push(`${name} can be loaded and is not: nobody asks for it.`);
  }
  if (problem) lines.push(...problem.message.split("\n"));
  if (neededBy.length > 0) lines.push(`  loaded before ${neededBy.join(", ")}`);
  for (const { kind, key, owner, replaced, usedBy } of registrations) {
    lines.push(`${kind} ${key}: registered by ${owner}`);
    if (replaced.length > 0) lines.push(`  replaces that of ${replaced.join(", ")}`);
    lines.push(...usedBy.map((use) => `  used by ${use}`));
  }
  return lines.join("\n");
}

function pluginLines(plugin: PluginRecord): string[] {
  const label = `${plugin.name}@${plugin.version}`;
  if (plugin.error)
    return [
      `${plugin.specifier} was asked for by ${SOURCES[plugin.source]} and failed (${plugin.phase}).`,
      ...plugin.error.message.split("\n"),
    ];
  const by = plugin.source === "builtin" ? "built in" : `asked for by ${SOURCES[plugin.source]} as ${plugin.specifier}`;
  if (plugin.status === "skipped") return [`${label} is not loaded here: it ${plugin.reason}; ${by}.`];
  const lines = [`${label} is loaded: ${by}.`];
  if (plugin.entry) lines.push(`  from ${plugin.entry}`);
  const byKind = new Map<string, string[]>();
  for (const { kind, key } of plugin.registered) byKind.set(kind, [...(byKind.get(kind) ?? []), key]);
  if (byKind.size === 0) lines.push("  registered nothing");
  for (const [kind, keys] of byKind) lines.push(`  registered ${kind} ${keys.join(", ")}`);
  return lines;
}

function jsonOf({ plugin, problem, ...answer }: Answer): unknown {
  const error = plugin?.error;
  return {
    ...answer,
    plugin: plugin && { ...plugin, error: isVerlError(error) ? error.toJSON() : undefined },
    problem: problem?.toJSON() ?? null,
  };
}
