import fs from "node:fs";
import path from "node:path";
import semver from "semver";
import { z } from "zod";
import { reasonOf } from "../errors.js";
import { pluginErrors } from "../plugin-errors.js";
import type { JsonValue, ProcessRole } from "../types.js";
import { didYouMean } from "../util/nearest.js";
import { parseSettingsJson } from "../util/settings-json.js";
import type { PackageJson } from "./package-json.js";

/** The section `verl` of a plugin's package.json, read before any of its code runs. */
export interface PluginManifest {
  /** Semver range of the plugin API. */
  readonly apiVersion: string;
  /** Module with `register`, relative to the package; null: the package's main export. */
  readonly register: string | null;
  /** Kinds that it registers. */
  readonly provides: readonly string[];
  /** Processes of a run that load it. */
  readonly processes: "all" | readonly ProcessRole[];
  /** Plugins that come first if they are loaded too. */
  readonly after: readonly string[];
  /** Plugins that must be loaded, and come first: `name` or `name@range`. */
  readonly requires: readonly string[];
  /** Parsed JSON Schema of the plugin's part of the configuration. */
  readonly configSchema: Readonly<Record<string, JsonValue>> | null;
  /** Where the schema was read from, relative to the package. */
  readonly configSchemaFile: string | null;
}

/** What the host offers, against which a manifest is checked. */
export interface ManifestRules {
  readonly apiVersion: string;
  /** Names of kinds that may appear in `provides`. */
  readonly kinds: readonly string[];
}

export const PROCESS_ROLES = ["driver", "trainer", "rollout", "reward", "agent"] as const satisfies ProcessRole[];

const relativeFile = z
  .string()
  .refine(
    (file) => file.startsWith("./") && !path.posix.normalize(file).startsWith(".."),
    "must be a path inside the package that starts with ./",
  );
const packageNames = z.array(z.string().min(1)).default([]);
const manifestSchema = z.strictObject({
  apiVersion: z.string(),
  register: relativeFile.optional(),
  provides: z.array(z.string()),
  processes: z.union([z.literal("all"), z.array(z.enum(PROCESS_ROLES)).min(1)]).default("all"),
  after: packageNames,
  requires: packageNames,
  configSchema: relativeFile.optional(),
});
const manifestKeys = Object.keys(manifestSchema.shape);

/** Validates the manifest of the package in `root`. The API version is judged first: a newer manifest may hold more. */
export function readManifest(root: string, packageJson: PackageJson, rules: ManifestRules): PluginManifest {
  const label = labelOf(packageJson, root);
  const file = path.join(root, "package.json");
  const bad = (pointer: string, why: string) =>
    pluginErrors.VERL_PLUGIN_BAD_MANIFEST({
      what: `The manifest of ${label} is wrong at ${pointer}.`,
      where: `${file} ${pointer}`,
      why,
      data: { package: packageJson.name ?? null, pointer },
    });

  const { verl } = packageJson;
  if (verl === undefined) throw noManifest(label, file, rules);
  if (typeof verl !== "object" || verl === null || Array.isArray(verl)) throw bad("/verl", "It must be an object.");
  const { apiVersion } = verl as { apiVersion?: unknown };
  if (typeof apiVersion !== "string" || semver.validRange(apiVersion) === null) {
    throw bad("/verl/apiVersion", `It must be a semver range such as "^${rules.apiVersion}".`);
  }
  checkApiVersion(label, apiVersion, rules.apiVersion, file);

  const parsed = manifestSchema.safeParse(verl);
  if (!parsed.success) throw bad(...firstIssue(parsed.error));
  parsed.data.provides.forEach((kind, i) => {
    if (!rules.kinds.includes(kind)) {
      const known = `Known kinds: ${rules.kinds.join(", ")}.`;
      throw bad(`/verl/provides/${i}`, `"${kind}" is no kind of plugin.${didYouMean(kind, rules.kinds)} ${known}`);
    }
  });
  const { configSchema, register, ...rest } = parsed.data;
  return {
    ...rest,
    register: register ?? null,
    configSchemaFile: configSchema ?? null,
    configSchema: configSchema === undefined ? null : readSchema(path.join(root, configSchema), bad),
  };
}

/** Whether a host of `offered` satisfies `range`. A pre-release of 1.2.0 takes plugins for 1.2.0. */
export function satisfiesApi(offered: string, range: string): boolean {
  if (semver.satisfies(offered, range, { includePrerelease: true })) return true;
  const release = semver.parse(offered);
  return release !== null && release.prerelease.length > 0
    ? semver.satisfies(`${release.major}.${release.minor}.${release.patch}`, range)
    : false;
}

/** Throws `VERL_PLUGIN_API_VERSION` unless the host's API satisfies the plugin's range; `consequence` says what was not done. */
export function checkApiVersion(
  label: string,
  range: string,
  offered: string,
  where: string,
  consequence = "None of the plugin's code was run.",
): void {
  if (satisfiesApi(offered, range)) return;
  throw pluginErrors.VERL_PLUGIN_API_VERSION({
    what: `${label} needs plugin API ${range}; this verl-ts offers ${offered}.`,
    where,
    why: consequence,
    data: { required: range, offered },
  });
}

/** `name@version` for messages. */
export function labelOf(packageJson: PackageJson, root: string): string {
  return `${packageJson.name ?? root}@${packageJson.version ?? "0.0.0"}`;
}

function noManifest(label: string, file: string, rules: ManifestRules) {
  const lines = `"verl": { "apiVersion": "^${rules.apiVersion}", "register": "./dist/register.js", "provides": ["…"] }`;
  return pluginErrors.VERL_PLUGIN_NO_MANIFEST({
    what: `${label} is not a verl plugin: its package.json has no "verl" section.`,
    where: file,
    fix: `If it is meant to be one, its author adds: ${lines}`,
  });
}

function firstIssue(error: z.ZodError): [pointer: string, why: string] {
  const [issue] = error.issues;
  if (issue.code === "unrecognized_keys") {
    const [key] = issue.keys;
    return [pointerOf([...issue.path, key]), `Unknown key "${key}".${didYouMean(key, manifestKeys)}`];
  }
  return [pointerOf(issue.path), issue.message];
}

function pointerOf(parts: readonly PropertyKey[]): string {
  return ["verl", ...parts].map((p) => `/${String(p).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function readSchema(file: string, bad: (pointer: string, why: string) => Error): Readonly<Record<string, JsonValue>> {
  try {
    const schema: unknown = parseSettingsJson(fs.readFileSync(file, "utf8"));
    if (typeof schema === "object" && schema !== null && !Array.isArray(schema)) {
      return schema as Readonly<Record<string, JsonValue>>;
    }
  } catch (error) {
    throw bad("/verl/configSchema", `${file} is no readable JSON Schema: ${reasonOf(error)}`);
  }
  throw bad("/verl/configSchema", `${file} must hold a JSON Schema, an object.`);
}
