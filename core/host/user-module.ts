import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { resolve as resolveImport } from "import-meta-resolve";
import { withDeadline } from "./deadline.js";
import { placeOf } from "./error-place.js";
import { isVerlError, reasonOf } from "./errors.js";
import { type ModuleImporter, type ModuleNamespace, missingDependency } from "./module-importer.js";
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

/** Longer than a plugin's: a data set of the user's own may read its data while it is imported. */
const IMPORT_DEADLINE_MS = 30_000;

/** Imports it and picks an export; null gives the whole module. CommonJS exports count as well. */
export async function loadUserExport(
  importer: ModuleImporter,
  reference: string,
  exportName: string | null,
  cwd: string,
  deadlineMs = IMPORT_DEADLINE_MS,
): Promise<unknown> {
  const file = userModulePath(reference, cwd);
  let module: ModuleNamespace;
  try {
    module = await withDeadline(importer.import(file), deadlineMs, () => stuck(reference, file, deadlineMs));
  } catch (cause) {
    if (isVerlError(cause)) throw cause;
    const place = placeOf(cause, file);
    throw pluginErrors.VERL_USER_IMPORT_FAILED({
      what: `"${reference}" failed while it was imported.`,
      where: place ? `${file}, at ${place}` : file,
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
    where: file,
    why: names.length > 0 ? `It exports ${names.join(", ")}.` : "It exports nothing.",
    data: { exports: names },
  });
}

function stuck(reference: string, file: string, deadlineMs: number): Error {
  return pluginErrors.VERL_USER_IMPORT_FAILED({
    what: `"${reference}" did not finish its import within ${deadlineMs / 1000} s.`,
    where: file,
    why: "A top-level await of the module has not settled.",
    fix: "Do slow work when the function is called, and look for an await that never settles.",
  });
}

function fixOf(cause: unknown): { readonly fix?: string } {
  if ((cause as NodeJS.ErrnoException).code === "ERR_UNKNOWN_FILE_EXTENSION")
    return { fix: "Name a JavaScript or TypeScript module: .js, .mjs, .cjs, .ts or .mts." };
  const dependency = missingDependency(cause);
  if (!dependency) return {};
  const { missing } = dependency;
  const isFileName = /^[./]/.test(missing) || path.isAbsolute(missing);
  return {
    fix: isFileName ? "Correct the import: there is no such file." : `Install the package: npm install ${missing}`,
  };
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
