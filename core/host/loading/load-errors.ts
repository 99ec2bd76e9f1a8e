import { placeOf } from "../error-place.js";
import { isVerlError, reasonOf, VerlError } from "../errors.js";
import { pluginErrors } from "../plugin-errors.js";
import { missingDependency } from "./module-importer.js";

/** Codes that the host itself raises while a plugin runs; anything else that is thrown is the plugin's own error. */
const HOST_CODES: Readonly<Record<string, unknown>> = { ...pluginErrors.table, VERL_PLATFORM_NOT_READY: true };

/** A coded error that names package, file and cause, whatever was thrown while a plugin was imported or registered. */
export function explainLoad(error: unknown, phase: "import" | "register", label: string, file: string): VerlError {
  if (isVerlError(error) && error.code in HOST_CODES) return located(error, label, file);
  return explainDependency(error, label, file) ?? explainThrown(error, phase, label, file);
}

function located(error: VerlError, label: string, file: string): VerlError {
  if (error.where?.includes(file)) return error;
  const { code, what, why, fix, data, cause } = error;
  const place = `plugin ${label}, ${file}`;
  return new VerlError(code, { what, where: error.where ? `${error.where} (${place})` : place, why, fix, data, cause });
}

function explainDependency(error: unknown, label: string, file: string): VerlError | null {
  const dependency = missingDependency(error);
  if (!dependency) return null;
  const { missing, importer } = dependency;
  const isPackage = !/^([./]|file:|[a-zA-Z]:\\)/.test(missing);
  return pluginErrors.VERL_PLUGIN_DEPENDENCY_MISSING({
    what: `The plugin ${label} is installed, but the ${isPackage ? "package" : "file"} "${missing}" that it imports is not.`,
    where: importer && importer !== file ? `${importer} (loaded by ${file})` : file,
    fix: isPackage ? `npm install ${missing}` : "Build the plugin, or report the missing file to its author.",
    cause: error,
  });
}

function explainThrown(error: unknown, phase: "import" | "register", label: string, file: string): VerlError {
  const details = {
    where: [file, placeOf(error, file)].filter((part) => part !== null).join(", at "),
    why: error instanceof Error && error.name !== "Error" ? `${error.name}: ${error.message}` : reasonOf(error),
    cause: error,
  };
  return phase === "import"
    ? pluginErrors.VERL_PLUGIN_IMPORT_FAILED({ what: `The plugin ${label} threw while it was imported.`, ...details })
    : pluginErrors.VERL_PLUGIN_REGISTER_FAILED({ what: `The plugin ${label} failed in register.`, ...details });
}
