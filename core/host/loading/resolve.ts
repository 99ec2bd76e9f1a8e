import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { resolve as resolveImport } from "import-meta-resolve";
import semver from "semver";
import { isVerlError, reasonOf } from "../errors.js";
import { pluginErrors } from "../plugin-errors.js";
import { labelOf, type PluginManifest } from "./manifest.js";
import { enclosingPackage, findPackage, type PackageJson, readPackageJson } from "./package-json.js";
import { parseSpecifier, type Specifier } from "./specifier.js";

/** Where a named plugin lies, found without running its code. */
export interface PluginLocation {
  readonly specifier: Specifier;
  /** Real path of its package; null for a single file outside any plugin package. */
  readonly root: string | null;
  readonly packageJson: PackageJson | null;
  /** Real path of the module when the specifier chose it; null: the manifest's `register`. */
  readonly file: string | null;
}

/** Finds a plugin as if it were imported from a file in `cwd`. */
export function locatePlugin(text: string, cwd: string): PluginLocation {
  const specifier = parseSpecifier(text);
  return specifier.kind === "path" ? locatePath(specifier, cwd) : locatePackage(specifier, cwd);
}

/** The module of a located plugin, checked to exist. */
export function entryOf(location: PluginLocation, manifest: PluginManifest | null): string {
  if (location.file !== null) return location.file;
  const root = location.root!;
  const packageJson = location.packageJson!;
  if (manifest?.register) {
    return existingFile(path.join(root, manifest.register), packageJson, root, "verl.register");
  }
  return mainOf(root, packageJson);
}

/** The main module of the package in `root`, through its exports map or `main`. */
export function mainOf(root: string, packageJson: PackageJson): string {
  const inside = pathToFileURL(path.join(root, "_")).href;
  if (packageJson.exports !== undefined && packageJson.name) {
    // Resolving the package's own name from inside it applies the exports map without a second implementation.
    return existingFile(resolveExport(packageJson.name, inside, packageJson, root), packageJson, root, "exports");
  }
  const candidates = packageJson.main
    ? [packageJson.main, `${packageJson.main}.js`, `${packageJson.main}/index.js`]
    : ["index.js"];
  const found = candidates.map((c) => path.join(root, c)).find(isFile);
  return existingFile(
    found ?? path.join(root, candidates[0]),
    packageJson,
    root,
    packageJson.main ? "main" : "main (absent)",
  );
}

/** Resolves `specifier` with Node's rules; an unexported path is an error that lists what the package does export. */
export function resolveExport(specifier: string, parentUrl: string, packageJson: PackageJson, root: string): string {
  try {
    return fileURLToPath(resolveImport(specifier, parentUrl));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const label = labelOf(packageJson, root);
    if (code === "ERR_PACKAGE_PATH_NOT_EXPORTED") {
      const exported = exportedPaths(packageJson.exports);
      throw pluginErrors.VERL_PLUGIN_NOT_EXPORTED({
        what: `${label} does not export "${specifier}".`,
        where: path.join(root, "package.json"),
        why: exported.length > 0 ? `It exports ${exported.join(", ")}.` : 'Its "exports" offers nothing to import.',
        cause,
      });
    }
    throw pluginErrors.VERL_PLUGIN_NOT_BUILT({
      what: `"${specifier}" of ${label} cannot be resolved.`,
      where: root,
      why: reasonOf(cause),
      cause,
    });
  }
}

/** Key under which two specifiers are the same module: the real path. */
export function realFile(file: string): string {
  try {
    return fs.realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}

export function isFile(file: string): boolean {
  return statOf(file)?.isFile() ?? false;
}

/** Undefined where there is nothing, or nothing that may be looked at. */
export function statOf(file: string): fs.Stats | undefined {
  try {
    return fs.statSync(file);
  } catch {
    return undefined;
  }
}

function locatePackage(specifier: Specifier & { kind: "package" }, cwd: string): PluginLocation {
  const { text, name, range, subpath } = specifier;
  const root = findPackage(name, cwd);
  const packageJson = root === null ? null : readPackageJson(root);
  if (root === null || packageJson === null) {
    throw pluginErrors.VERL_PLUGIN_NOT_FOUND({
      what: `The plugin "${text}" is not installed.`,
      where: `searched node_modules from ${cwd} upwards`,
      fix: `Install it there: npm install ${name}${range ? `@"${range}"` : ""}`,
      data: { specifier: text, base: cwd },
    });
  }
  const version = packageJson.version ?? "0.0.0";
  if (range !== null && !semver.satisfies(version, range, { includePrerelease: true })) {
    throw pluginErrors.VERL_PLUGIN_VERSION({
      what: `"${text}" asks for version ${range} of ${name}; ${version} is installed.`,
      where: root,
      fix: `npm install ${name}@"${range}", or change the specifier.`,
      data: { required: range, installed: version },
    });
  }
  if (subpath === null) return { specifier, root, packageJson, file: null };
  const parent = pathToFileURL(path.join(cwd, "_")).href;
  const file = subpathFile(`${name}/${subpath}`, parent, root, packageJson);
  return { specifier, root, packageJson, file };
}

function subpathFile(specifier: string, parent: string, root: string, packageJson: PackageJson): string {
  let resolved: string;
  try {
    resolved = resolveExport(specifier, parent, packageJson, root);
  } catch (error) {
    // A package without exports: Node takes the path literally. A package that is its own project is not resolvable by name.
    const literal = path.join(root, specifier.slice(packageJson.name?.length ?? 0));
    if (packageJson.exports !== undefined || !isVerlError(error)) throw error;
    resolved = [literal, `${literal}.js`, path.join(literal, "index.js")].find(isFile) ?? literal;
  }
  return existingFile(resolved, packageJson, root, `sub-path ${specifier}`);
}

function locatePath(specifier: Specifier & { kind: "path" }, cwd: string): PluginLocation {
  const target = path.resolve(cwd, specifier.path);
  const stat = statOf(target);
  if (!stat) {
    const near = [".js", ".mjs", ".cjs", ".ts", ".mts"].map((ext) => `${target}${ext}`).find(isFile);
    throw pluginErrors.VERL_PLUGIN_NOT_FOUND({
      what: `The plugin file "${specifier.text}" does not exist.`,
      where: target,
      fix: near
        ? `Write the extension: ${specifier.text}${path.extname(near)}`
        : `Relative paths start at ${cwd}, the folder from which verl was started.`,
      data: { specifier: specifier.text, base: cwd },
    });
  }
  const real = fs.realpathSync(target);
  if (stat.isDirectory()) {
    const packageJson = readPackageJson(real);
    if (packageJson) return { specifier, root: real, packageJson, file: null };
    throw pluginErrors.VERL_PLUGIN_NOT_FOUND({
      what: `The folder "${specifier.text}" is no package.`,
      where: real,
      why: "It has no package.json.",
      fix: "Name a file in it, or add a package.json with a verl section.",
    });
  }
  // A file of a plugin package belongs to that package; any other file stands for itself.
  const root = enclosingPackage(path.dirname(real));
  const packageJson = root === null ? null : readPackageJson(root);
  if (packageJson?.verl === undefined) return { specifier, root: null, packageJson: null, file: real };
  return { specifier, root, packageJson, file: real };
}

function existingFile(file: string, packageJson: PackageJson, root: string, field: string): string {
  if (isFile(file)) return fs.realpathSync(file);
  throw pluginErrors.VERL_PLUGIN_NOT_BUILT({
    what: `${labelOf(packageJson, root)} is installed, but its module does not exist.`,
    where: file,
    why: `package.json names it in ${field}.`,
  });
}

function exportedPaths(exports: unknown): string[] {
  if (typeof exports !== "object" || exports === null || Array.isArray(exports)) return ["."];
  const keys = Object.keys(exports);
  return keys.every((k) => !k.startsWith(".")) ? ["."] : keys;
}
