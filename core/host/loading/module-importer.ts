import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { resolve as resolveImport } from "import-meta-resolve";
import { pluginErrors } from "../plugin-errors.js";
import { isFile } from "./resolve.js";

export type ModuleNamespace = Readonly<Record<string, unknown>>;

/** The namespaced loader of `tsx/esm/api`, as far as it is used here. */
interface ScopedLoader {
  import(specifier: string, parentUrl: string): Promise<ModuleNamespace>;
  unregister(): Promise<void>;
}

/**
 * Imports files, each once per host. JavaScript goes through Node; TypeScript through `tsx` where the user has it, else
 * through Node's own type stripping where this Node has it. All TypeScript of one host shares one module graph.
 */
export class ModuleImporter {
  private readonly cache = new Map<string, Promise<ModuleNamespace>>();
  private loader: Promise<ScopedLoader | null> | null = null;

  constructor(private readonly cwd: string) {}

  import(file: string): Promise<ModuleNamespace> {
    let module = this.cache.get(file);
    if (!module) {
      module = isTypeScript(file)
        ? this.importTypeScript(file)
        : (import(pathToFileURL(file).href) as Promise<ModuleNamespace>);
      this.cache.set(file, module);
    }
    return module;
  }

  async dispose(): Promise<void> {
    const loader = await this.loader?.catch(() => null);
    await loader?.unregister();
  }

  private async importTypeScript(file: string): Promise<ModuleNamespace> {
    if (file.split(path.sep).includes("node_modules")) {
      throw pluginErrors.VERL_PLUGIN_TYPESCRIPT({
        what: `${file} is TypeScript inside node_modules.`,
        why: "Published packages hold compiled JavaScript; only local files are compiled on the fly.",
        fix: "Its author publishes the compiled files and names them in package.json.",
      });
    }
    this.loader ??= loadTsx(this.cwd);
    const loader = await this.loader;
    const url = pathToFileURL(file).href;
    try {
      if (loader) return await loader.import(url, url);
    } catch (cause) {
      if (!lacksCompiler(cause)) throw cause;
      if (!nodeStripsTypes()) {
        throw pluginErrors.VERL_PLUGIN_TYPESCRIPT({
          what: `${file} is TypeScript, and the loader "tsx" is installed without the compiler that it needs.`,
          why: "`npm install --omit=optional` leaves the part of esbuild out that is made for this machine.",
          fix: "npm install --include=optional; or compile the file to JavaScript.",
          cause,
        });
      }
    }
    if (nodeStripsTypes()) return (await import(url)) as ModuleNamespace;
    throw pluginErrors.VERL_PLUGIN_TYPESCRIPT({
      what: `${file} is TypeScript, and the loader "tsx" is not installed.`,
      where: `searched node_modules from ${this.cwd} upwards`,
    });
  }
}

/** The cause of a failed import: a module that is missing next to the plugin, told apart from a failing plugin. */
export function missingDependency(
  error: unknown,
): { readonly missing: string; readonly importer: string | null } | null {
  // Anything can be thrown.
  const { code, message, requireStack } = (error ?? {}) as NodeJS.ErrnoException & { requireStack?: string[] };
  if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return null;
  const match = /Cannot find (?:package|module) '([^']+)'(?: imported from (.+))?/.exec(message ?? "");
  if (!match) return null;
  return { missing: match[1], importer: match[2]?.trim() ?? requireStack?.[0] ?? null };
}

/** What esbuild, on which tsx stands, says where its program for this machine is missing. */
function lacksCompiler(error: unknown): boolean {
  return error instanceof Error && /The package "@esbuild\/.*needed by esbuild/s.test(error.message);
}

export function isTypeScript(file: string): boolean {
  return /\.[mc]?ts$/.test(file);
}

async function loadTsx(cwd: string): Promise<ScopedLoader | null> {
  for (const parent of [pathToFileURL(path.join(cwd, "_")).href, import.meta.url]) {
    const url = resolveOrNull("tsx/esm/api", parent);
    if (url === null) continue;
    const api = (await import(url)) as { register(options: { namespace: string }): ScopedLoader };
    return api.register({ namespace: `verl-${process.pid}` });
  }
  return null;
}

function resolveOrNull(specifier: string, parent: string): string | null {
  try {
    const url = resolveImport(specifier, parent);
    return isFile(fileURLToPath(url)) ? url : null;
  } catch {
    return null;
  }
}

/** Node 22.18 and later run erasable TypeScript without a loader. */
function nodeStripsTypes(): boolean {
  return Boolean((process.features as { typescript?: unknown }).typescript);
}
