import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { resolve as resolveImport } from "import-meta-resolve";
import { placeOf } from "./error-place.js";
import { isVerlError, reasonOf } from "./errors.js";
import type { ModuleImporter, ModuleNamespace } from "./module-importer.js";
import { didYouMean } from "./nearest.js";
import { pluginErrors } from "./plugin-errors.js";
import { isFile } from "./resolve.js";

/**
 * Finds a module named in the configuration: `pkg://module` is an installed package or one of its sub-paths,
 * `file://…` and everything else is a path that starts at `cwd`.
 */
export function userModulePath(reference: string, cwd: string): string {
  if (reference.startsWith("pkg://")) return packageModule(reference, cwd);
  const file = reference.startsWith("file://") ? pathOf(reference, cwd) : path.resolve(cwd, reference);
  if (isFile(file)) return fs.realpathSync(file);
  throw missing(reference, file, "There is no such file.");
}

/** Imports it and picks an export; null gives the whole module. CommonJS exports count as well. */
export async function loadUserExport(
  importer: ModuleImporter,
  reference: string,
  exportName: string | null,
  cwd: string,
): Promise<unknown> {
  const file = userModulePath(reference, cwd);
  let module: ModuleNamespace;
  try {
    module = await importer.import(file);
  } catch (cause) {
    if (isVerlError(cause)) throw cause;
    const place = placeOf(cause, file);
    throw pluginErrors.VERL_USER_IMPORT_FAILED({
      what: `"${reference}" failed while it was imported.`,
      where: place ? `${file}, at ${place}` : file,
      why: reasonOf(cause),
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
    where: file,
    why: names.length > 0 ? `It exports ${names.join(", ")}.` : "It exports nothing.",
    data: { exports: names },
  });
}

function packageModule(reference: string, cwd: string): string {
  const specifier = reference.slice("pkg://".length);
  try {
    const file = fileURLToPath(resolveImport(specifier, pathToFileURL(path.join(cwd, "_")).href));
    if (isFile(file)) return file;
    throw new Error(`${file} does not exist.`);
  } catch (cause) {
    throw missing(reference, `node_modules from ${cwd} upwards`, reasonOf(cause), cause);
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
