import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isVerlError, type VerlError } from "../errors.js";
import { pluginErrors } from "../plugin-errors.js";
import type { JsonValue, Logger } from "../types.js";
import { type InstalledPlugin, installedPlugins, type PluginRequest, requestedPlugins } from "./discovery.js";
import type { Environment } from "./env-diff.js";
import { loadOrder } from "./load-order.js";
import { hashFiles, identityFiles, type LockEntry } from "./lock.js";
import { type ManifestRules, type PluginManifest, readManifest } from "./manifest.js";
import { entryOf, locatePlugin } from "./resolve.js";

/** A plugin that was found and judged by its manifest. None of its code has run. */
export interface PlannedPlugin extends LockEntry {
  readonly source: PluginRequest["source"];
  /** Real path of its package; null for a single file. */
  readonly root: string | null;
  /** Real path of the module that will be imported. */
  readonly entry: string;
  /** Null for a single file, which says the same about itself when it is imported. */
  readonly manifest: PluginManifest | null;
  readonly after: readonly string[];
  readonly requires: readonly string[];
}

/** A plugin that was asked for and cannot be loaded. */
export interface FailedPlugin {
  readonly specifier: string;
  readonly source: PluginRequest["source"];
  readonly phase: LoadPhase;
  readonly error: VerlError;
}
export type LoadPhase = "resolve" | "manifest" | "check" | "import" | "register" | "commit";

/** What is going to be loaded, in order, and what is only there. */
export interface PluginPlan {
  readonly plugins: readonly PlannedPlugin[];
  readonly failed: readonly FailedPlugin[];
  /** Direct dependencies that are plugins, asked for or not. */
  readonly installed: readonly InstalledPlugin[];
  /** Schemas of the plugins' parts of the configuration, each a JSON Schema of the configuration's root. */
  readonly configSchemas: readonly { readonly plugin: string; readonly schema: Readonly<Record<string, JsonValue>> }[];
}

export interface PlanOptions {
  readonly cwd: string;
  readonly env: Environment;
  /** Specifiers from the configuration. */
  readonly plugins: readonly string[];
  /** A driver's lock, which replaces environment, configuration and discovery. */
  readonly requests?: readonly PluginRequest[];
  readonly rules: ManifestRules;
  readonly logger: Logger;
}

/**
 * Finds every requested plugin and reads its manifest, in load order, without running any plugin's code. Failures are
 * collected; whether they are fatal is the caller's decision.
 */
export function planPlugins(options: PlanOptions): PluginPlan {
  const installed = installedPlugins(options.cwd);
  const requests = options.requests ?? requestedPlugins(options.env, options.plugins, installed);
  const failed: FailedPlugin[] = [];
  const found: PlannedPlugin[] = [];
  for (const request of requests) {
    let phase: LoadPhase = "resolve";
    try {
      if (request.error) throw request.error;
      const location = locatePlugin(request.specifier, options.cwd);
      phase = "manifest";
      const manifest =
        location.root === null ? null : readManifest(location.root, location.packageJson!, options.rules);
      const entry = entryOf(location, manifest);
      phase = "check";
      const plugin = describePlugin(request, location, manifest, entry);
      if (isNew(plugin, found, options.logger)) found.push(plugin);
    } catch (error) {
      if (!isVerlError(error)) throw error;
      failed.push({ ...request, phase, error });
    }
  }
  const { order, failed: unordered } = loadOrder(found);
  for (const { plugin, error } of unordered) {
    failed.push({ specifier: plugin.specifier, source: plugin.source, phase: "check", error });
  }
  const configSchemas = order.flatMap(({ name, manifest }) =>
    manifest?.configSchema ? [{ plugin: name, schema: manifest.configSchema }] : [],
  );
  return { plugins: order, failed, installed, configSchemas };
}

function describePlugin(
  request: PluginRequest,
  { root, packageJson }: ReturnType<typeof locatePlugin>,
  manifest: PluginManifest | null,
  entry: string,
): PlannedPlugin {
  const files = identityFiles(root, packageJson, entry, manifest?.configSchemaFile ?? null);
  return {
    ...request,
    name: packageJson?.name ?? request.specifier,
    version: packageJson?.version ?? "0.0.0",
    root,
    entry,
    manifest,
    hash: hashFiles(files, root ?? path.dirname(entry)),
    url: pathToFileURL(entry).href,
    processes: manifest === null ? "all" : manifest.processes === "all" ? "all" : [...manifest.processes],
    after: manifest?.after ?? [],
    requires: manifest?.requires ?? [],
  };
}

/** Drops what is planned already, and judges copies: the same version twice is a warning, two versions are an error. */
function isNew(plugin: PlannedPlugin, planned: readonly PlannedPlugin[], logger: Logger): boolean {
  for (const other of planned) {
    if (other.entry === plugin.entry) return false;
    if (plugin.root === null || other.root === null || other.name !== plugin.name || other.root === plugin.root)
      continue;
    if (other.version !== plugin.version) {
      throw pluginErrors.VERL_PLUGIN_TWO_VERSIONS({
        what: `Two versions of ${plugin.name} were named: ${other.version} and ${plugin.version}.`,
        where: `${other.root} and ${plugin.root}`,
      });
    }
    logger.warn(
      `plugin ${plugin.name}@${plugin.version} is installed twice: ${other.root} and ${plugin.root}; the first is used`,
    );
    return false;
  }
  return true;
}

/** Path relative to the user's folder when that is shorter, for reports. */
export function shownPath(file: string, cwd: string): string {
  const relative = path.relative(fs.realpathSync(cwd), file);
  return relative.startsWith("..") ? file : relative;
}
