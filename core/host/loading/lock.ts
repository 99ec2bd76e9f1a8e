import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { z } from "zod";
import { reasonOf, type VerlError } from "../errors.js";
import { pluginErrors } from "../plugin-errors.js";
import { parseOutsideJson } from "../util/outside-json.js";
import { PROCESS_ROLES } from "./manifest.js";
import type { PackageJson } from "./package-json.js";
import { statOf } from "./resolve.js";
import { parseSpecifier } from "./specifier.js";

const entrySchema = z.object({
  name: z.string(),
  version: z.string(),
  specifier: z.string(),
  hash: z.string(),
  url: z.string(),
  processes: z.union([z.literal("all"), z.array(z.enum(PROCESS_ROLES))]),
});
const lockSchema = z.object({
  lockVersion: z.literal(1),
  host: z.object({ name: z.string(), version: z.string(), apiVersion: z.string() }),
  plugins: z.array(entrySchema),
});

/** One plugin as every process of a run must have it. */
export type LockEntry = z.infer<typeof entrySchema>;

/**
 * The plugins of a run in load order. Sent to every worker, and recorded for `--frozen-plugins`. Names, versions and
 * hashes are compared; the URL only tells people where the code was.
 */
export type PluginLock = z.infer<typeof lockSchema>;

/** Default name of a recorded lock, in the folder from which verl was started. */
export const LOCK_FILE = "verl-plugins.lock.json";

/** The lock of plugins that are not yet loaded, or are. */
export function lockOf(plugins: readonly LockEntry[], host: PluginLock["host"]): PluginLock {
  // A planned plugin holds more than a lock records; the schema keeps what belongs in it.
  return { lockVersion: 1, host, plugins: plugins.map((plugin) => entrySchema.parse(plugin)) };
}

export const lockText = (lock: PluginLock): string => `${JSON.stringify(lock, null, 2)}\n`;

export function writeLock(file: string, lock: PluginLock): void {
  fs.writeFileSync(file, lockText(lock));
}

export function readLock(file: string): PluginLock {
  try {
    return lockSchema.parse(parseOutsideJson(fs.readFileSync(file, "utf8")));
  } catch (cause) {
    const absent = (cause as NodeJS.ErrnoException).code === "ENOENT";
    throw pluginErrors.VERL_PLUGIN_BAD_LOCK({
      what: absent ? "There is no recorded plugin lock." : "The plugin lock cannot be read.",
      where: file,
      why: absent ? undefined : reasonOf(cause),
      fix: "Record it with `verl plugins list --write-lock`.",
      cause,
    });
  }
}

/** Throws `VERL_PLUGIN_LOCK_MISMATCH` with every difference, both versions named. */
export function checkLock(expected: PluginLock, actual: PluginLock, names: LockNames): void {
  const differences = lockDifferences(expected, actual, names);
  if (differences.length > 0) throw lockMismatch(differences, names);
}

/** How messages call the two sides, e.g. "the driver" and "this worker". */
export interface LockNames {
  readonly expected: string;
  readonly actual: string;
}

export function lockDifferences(expected: PluginLock, actual: PluginLock, names: LockNames): string[] {
  const differences: string[] = [];
  const differ = (what: string, a: string, b: string) =>
    differences.push(`${what}: ${names.expected} has ${a}, ${names.actual} has ${b}`);
  if (expected.host.version !== actual.host.version) differ("verl-ts", expected.host.version, actual.host.version);
  const found = new Map(actual.plugins.map((entry) => [keyOf(entry), entry]));
  for (const entry of expected.plugins) {
    const other = found.get(keyOf(entry));
    found.delete(keyOf(entry));
    if (!other) differ(entry.name, entry.version, "none");
    else if (other.version !== entry.version) differ(entry.name, entry.version, other.version);
    else if (other.hash !== entry.hash) {
      differ(`${entry.name}@${entry.version}`, `the code ${short(entry.hash)}`, `other code ${short(other.hash)}`);
    }
  }
  for (const entry of found.values()) differ(entry.name, "none", entry.version);
  return differences;
}

export function lockMismatch(differences: readonly string[], names: LockNames): VerlError {
  return pluginErrors.VERL_PLUGIN_LOCK_MISMATCH({
    what: `The plugins of ${names.actual} are not those of ${names.expected}.`,
    why: differences.join("; "),
    data: { differences },
  });
}

/** First characters of a hash, for people. */
export function short(hash: string): string {
  return hash.replace("sha256-", "").slice(0, 12);
}

/** Files that make up the identity of a plugin: package.json, entry, schema, and what package.json lists in `files`. */
export function identityFiles(
  root: string | null,
  packageJson: PackageJson | null,
  entry: string,
  schema: string | null,
) {
  const files = new Set<string>([entry]);
  if (root !== null) {
    files.add(path.join(root, "package.json"));
    if (schema !== null) files.add(path.join(root, schema));
    for (const listed of packageJson?.files ?? []) {
      const target = path.join(root, listed);
      // What lies outside is not part of the package, whatever it lists.
      if (!isInside(target, root)) continue;
      for (const file of filesUnder(target)) files.add(file);
    }
  }
  return [...files];
}

/** SHA-256 over names (relative to the package) and contents. */
export function hashFiles(files: readonly string[], root: string): string {
  const hash = createHash("sha256");
  const named = files.map((file) => [path.relative(root, file).split(path.sep).join("/"), file] as const);
  for (const [name, file] of named.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const content = fs.readFileSync(file);
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return `sha256-${hash.digest("hex")}`;
}

function isInside(target: string, folder: string): boolean {
  const relative = path.relative(folder, target);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** A file, or every file of a folder. Patterns and absent paths give nothing: package.json may list both. */
function filesUnder(target: string): string[] {
  const stat = statOf(target);
  if (stat?.isFile()) return [target];
  if (!stat?.isDirectory()) return [];
  return fs
    .readdirSync(target, { withFileTypes: true })
    .filter((child) => child.name !== "node_modules")
    .flatMap((child) => filesUnder(path.join(target, child.name)));
}

/** The same plugin, however its version was written. */
function keyOf(entry: LockEntry): string {
  const specifier = parseSpecifier(entry.specifier);
  return specifier.kind === "package" ? `${specifier.name}/${specifier.subpath ?? ""}` : specifier.path;
}
