import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { resolve as resolveImport } from "import-meta-resolve";
import { placeOf } from "../error-place.js";
import { isVerlError, reasonOf } from "../errors.js";
import { pluginErrors } from "../plugin-errors.js";
import { didYouMean } from "../util/nearest.js";
import { shown } from "../util/shown.js";
import type { LoadWatch } from "./load-watch.js";
import { type ModuleImporter, type ModuleNamespace, missingDependency } from "./module-importer.js";
import { isFile } from "./resolve.js";

/**
 * Gives an export of a module that the configuration names (a path, `file://…`, `pkg://module`); null gives the whole module.
 * `namedBy` is the key that names it, or the place in a list: errors tell it.
 */
export type LoadUserModule = (reference: string, exportName: string | null, namedBy?: string) => Promise<unknown>;

/**
 * Finds a module named in the configuration: `pkg://module` is an installed package or one of its sub-paths,
 * `file://…` and everything else is a path that starts at `cwd`.
 */
export function userModulePath(reference: string, cwd: string, namedBy?: string): string {
  if (reference.startsWith("pkg://")) return packageModule(reference, cwd, namedBy);
  const file = reference.startsWith("file://") ? pathOf(reference, cwd) : path.resolve(cwd, reference);
  if (isFile(file)) return fs.realpathSync(file);
  throw missing(reference, placed(file, namedBy), "There is no such file.");
}

interface NamedModule {
  readonly reference: string;
  /** Null: the whole module. */
  readonly exportName: string | null;
  readonly namedBy?: string;
}

interface UserModuleLoading {
  readonly importer: ModuleImporter;
  readonly loading: LoadWatch;
  readonly cwd: string;
}

/** Imports it and picks an export. CommonJS exports count as well. */
export async function loadUserExport(
  { reference, exportName, namedBy }: NamedModule,
  { importer, loading, cwd }: UserModuleLoading,
): Promise<unknown> {
  const file = userModulePath(reference, cwd, namedBy);
  const label = placed(file, namedBy);
  let module: ModuleNamespace;
  try {
    const onTimeout = () => stuck(reference, file, label, loading.deadlineMs);
    module = await loading.run({ label, blocked: BLOCKED, onTimeout }, () => importer.import(file));
  } catch (cause) {
    if (isVerlError(cause)) throw cause;
    const place = placeOf(cause, file);
    throw pluginErrors.VERL_USER_IMPORT_FAILED({
      what: `"${reference}" failed while it was imported.`,
      where: place ? `${label}, at ${place}` : label,
      why: reasonOf(cause),
      ...fixOf(cause),
      cause,
    });
  }
  if (exportName === null) return module;
  const inner =
    typeof module.default === "object" && module.default !== null ? (module.default as ModuleNamespace) : {};
  if (exportName in module) return module[exportName];
  if (exportName in inner) return inner[exportName];
  const names = [...new Set([...Object.keys(module), ...Object.keys(inner)])].sort();
  throw pluginErrors.VERL_USER_EXPORT_MISSING({
    what: `"${reference}" does not export "${exportName}".${didYouMean(exportName, names)}`,
    where: label,
    why: names.length > 0 ? `It exports ${names.join(", ")}.` : "It exports nothing.",
    data: { exports: names },
  });
}

const BLOCKED = {
  code: "VERL_USER_TIMEOUT",
  fix: "do such work when the function is called, and look for a loop that never ends",
};

/** `file (key)` */
const placed = (file: string, namedBy: string | undefined) => (namedBy ? `${file} (${namedBy})` : file);

function stuck(reference: string, file: string, where: string, deadlineMs: number): Error {
  const line = topLevelAwait(file);
  return pluginErrors.VERL_USER_TIMEOUT({
    what: `"${reference}" did not finish its import within ${deadlineMs / 1000} s.`,
    where,
    why: line
      ? `A top-level await has not settled, probably that of line ${line.number}: ${line.text}`
      : "A top-level await of a module that it imports has not settled.",
    data: { file, ...(line ? { line: line.number } : {}) },
  });
}

/** The first line that awaits at the module's top level, by its indentation: for a hint, no more. */
function topLevelAwait(file: string): { readonly number: number; readonly text: string } | null {
  let lines: string[];
  try {
    lines = fs.readFileSync(file, "utf8").split("\n");
  } catch {
    // It was removed meanwhile; what matters has been said.
    return null;
  }
  const index = lines.findIndex((line) => /^(?!\/\/)[^\s*].*\bawait\b|^await\b/.test(line) && !/\basync\b/.test(line));
  return index < 0 ? null : { number: index + 1, text: shown(lines[index].trim()) };
}

function fixOf(cause: unknown): { readonly fix?: string } {
  if ((cause as NodeJS.ErrnoException | null | undefined)?.code === "ERR_UNKNOWN_FILE_EXTENSION")
    return { fix: "Name a JavaScript or TypeScript module: .js, .mjs, .cjs, .ts or .mts." };
  const dependency = missingDependency(cause);
  if (!dependency) return {};
  const { missing } = dependency;
  const isFileName = /^[./]/.test(missing) || path.isAbsolute(missing);
  return {
    fix: isFileName ? "Correct the import: there is no such file." : `Install the package: npm install ${missing}`,
  };
}

function packageModule(reference: string, cwd: string, namedBy: string | undefined): string {
  const specifier = reference.slice("pkg://".length);
  try {
    const file = fileURLToPath(resolveImport(specifier, pathToFileURL(path.join(cwd, "_")).href));
    if (isFile(file)) return file;
    throw new Error(`${file} does not exist.`);
  } catch (cause) {
    throw missing(reference, placed(`node_modules from ${cwd} upwards`, namedBy), reasonOf(cause), cause);
  }
}

/** `file://` with an absolute path is a URL; with a relative one it is taken as a path, as verl does. */
function pathOf(reference: string, cwd: string): string {
  const rest = reference.slice("file://".length);
  return rest.startsWith("/") ? fileURLToPath(reference) : path.resolve(cwd, rest);
}

function missing(reference: string, where: string, why: string, cause?: unknown): Error {
  return pluginErrors.VERL_USER_FILE_MISSING({
    what: `"${reference}", named in the configuration, cannot be found.`,
    where,
    why,
    cause,
  });
}
