import path from "node:path";
import { fileURLToPath } from "node:url";
import semver from "semver";
import { reasonOf } from "../errors.js";
import { pluginErrors } from "../plugin-errors.js";

/** How a plugin was named: `@scope/name@1.2.3/sub`, a path, or a `file:` URL. */
export type Specifier =
  | {
      readonly kind: "package";
      readonly text: string;
      readonly name: string;
      /** Version or range that the installed package must satisfy; null: any. */
      readonly range: string | null;
      /** Without the leading slash; null for the package itself. */
      readonly subpath: string | null;
    }
  | { readonly kind: "path"; readonly text: string; readonly path: string };

const packageGrammar = /^((?:@[\w.~-]+\/)?[\w~-][\w.~-]*)(?:@([^/]*))?(?:\/(.+))?$/;

export function parseSpecifier(text: string): Specifier {
  if (/^file:/i.test(text)) return { kind: "path", text, path: pathOfUrl(text) };
  if (isPath(text)) return { kind: "path", text, path: text };
  if (/^[a-z][a-z\d+.-]*:/i.test(text)) {
    throw pluginErrors.VERL_PLUGIN_BAD_SPECIFIER({
      what: `"${text}" is no plugin: modules are loaded from packages and files only.`,
    });
  }
  const match = packageGrammar.exec(text);
  if (!match) throw pluginErrors.VERL_PLUGIN_BAD_SPECIFIER({ what: `"${text}" is neither a package name nor a path.` });
  const [, name, version, subpath] = match;
  if (version !== undefined && semver.validRange(version) === null) {
    throw pluginErrors.VERL_PLUGIN_BAD_SPECIFIER({
      what: `"${version}" in "${text}" is neither a version nor a range.`,
      why: "The version is compared with the one that is installed, so a tag such as `latest` says nothing.",
      fix: `Write ${name}@1.2.3, or ${name}@^1.2.0, or leave the version out.`,
    });
  }
  return { kind: "package", text, name, range: version ?? null, subpath: subpath ?? null };
}

/** Relative and absolute paths, of Windows too. */
export function isPath(text: string): boolean {
  return /^\.{1,2}($|[\\/])/.test(text) || path.isAbsolute(text) || path.win32.isAbsolute(text);
}

function pathOfUrl(text: string): string {
  try {
    return fileURLToPath(text);
  } catch (cause) {
    throw pluginErrors.VERL_PLUGIN_BAD_SPECIFIER({
      what: `"${text}" is not a usable file: URL.`,
      why: reasonOf(cause),
      cause,
    });
  }
}
