import fs from "node:fs";
import path from "node:path";
import { z } from "zod";
import { reasonOf } from "../errors.js";
import { pluginErrors } from "../plugin-errors.js";
import { parseOutsideJson } from "../util/outside-json.js";

/** The fields of a package.json that the host reads. */
export interface PackageJson {
  readonly name?: string;
  readonly version?: string;
  readonly main?: string;
  readonly exports?: unknown;
  readonly files?: readonly string[];
  readonly verl?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** As npm does, a field of another type counts as absent. */
const text = z.string().optional().catch(undefined);
const dependencies = z.record(z.string(), z.string()).optional().catch(undefined);
const fieldsSchema = z.object({
  name: text,
  version: text,
  main: text,
  exports: z.unknown().optional(),
  files: z.array(z.string()).optional().catch(undefined),
  verl: z.unknown().optional(),
  dependencies,
  devDependencies: dependencies,
  optionalDependencies: dependencies,
  peerDependencies: dependencies,
});

/** Reads `dir/package.json`; null when there is none. Malformed JSON is `VERL_PLUGIN_BAD_MANIFEST`. */
export function readPackageJson(dir: string): PackageJson | null {
  const file = path.join(dir, "package.json");
  let text: string;
  try {
    text = fs.readFileSync(file, "utf8");
  } catch {
    return null;
  }
  try {
    const value = parseOutsideJson(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("not a JSON object");
    return fieldsSchema.parse(value);
  } catch (cause) {
    throw pluginErrors.VERL_PLUGIN_BAD_MANIFEST({
      what: "package.json cannot be read.",
      where: file,
      why: reasonOf(cause),
      fix: "Correct the file.",
      cause,
    });
  }
}

/** `from` and its parents, innermost first. */
export function* parentsOf(from: string): Generator<string> {
  for (let dir = path.resolve(from); ; dir = path.dirname(dir)) {
    yield dir;
    if (dir === path.dirname(dir)) return;
  }
}

/**
 * Folder of an installed package as Node's resolution finds it: `node_modules/<name>` of `from` and its parents, or the
 * package that `from` itself lies in. Symbolic links are followed, as Node does.
 */
export function findPackage(name: string, from: string): string | null {
  for (const dir of parentsOf(from)) {
    if (path.basename(dir) !== "node_modules") {
      const candidate = path.join(dir, "node_modules", ...name.split("/"));
      if (fs.existsSync(path.join(candidate, "package.json"))) return fs.realpathSync(candidate);
    }
  }
  const own = enclosingPackage(from);
  return own !== null && readPackageJson(own)?.name === name ? own : null;
}

/** The nearest folder with a package.json, at `from` or above it; null when there is none. */
export function enclosingPackage(from: string): string | null {
  for (const dir of parentsOf(from)) {
    if (path.basename(dir) === "node_modules") return null;
    if (fs.existsSync(path.join(dir, "package.json"))) return fs.realpathSync(dir);
  }
  return null;
}
