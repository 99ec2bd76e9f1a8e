import type { VerlError } from "../host/errors.js";
import { sandboxErrors } from "./errors.js";
import type { SandboxLimits, SandboxRequest } from "./sandbox.js";

/** A request that was checked and completed: what an implementation has to run. */
export interface Program {
  readonly language: string;
  readonly code: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly argv: readonly string[];
  readonly stdin: Uint8Array;
  readonly limits: SandboxLimits;
  readonly collect: readonly string[];
}

/** @throws `VERL_SANDBOX_LANGUAGE`, `VERL_SANDBOX_BAD_REQUEST` */
export function checkProgram(
  request: SandboxRequest,
  sandbox: { readonly name: string; readonly languages: readonly string[]; readonly limits: SandboxLimits },
): Program {
  const { language, code, files = {}, argv = [], stdin = "", collect = [] } = request;
  if (!sandbox.languages.includes(language)) throw languageMissing(sandbox, language);
  if (typeof code !== "string") throw badRequest("code is not a text");
  for (const path of [...Object.keys(files), ...collect]) checkPath(path);
  if (argv.some((argument) => typeof argument !== "string" || argument.includes("\0"))) {
    throw badRequest("argv holds something other than texts without NUL");
  }
  const limits = { ...sandbox.limits, ...request.limits };
  checkLimits(limits);
  const bytes = (content: string | Uint8Array) => (typeof content === "string" ? Buffer.from(content) : content);
  return {
    language,
    code,
    files: new Map(Object.entries(files).map(([path, content]) => [path, bytes(content)])),
    argv,
    stdin: bytes(stdin),
    limits,
    collect,
  };
}

/** `VERL_SANDBOX_LANGUAGE` for a language that a sandbox does not run. */
export function languageMissing(
  { name, languages }: { readonly name: string; readonly languages: readonly string[] },
  language: string,
  where?: string,
): VerlError {
  return sandboxErrors.VERL_SANDBOX_LANGUAGE({
    what: `the sandbox "${name}" cannot run ${JSON.stringify(language)}`,
    why: `it runs ${languages.join(", ") || "nothing: no interpreter was found"}`,
    where,
  });
}

/** Everything lies inside the program's folder, whatever its text says. */
function checkPath(path: string): void {
  const parts = path.split("/");
  if (path.length > 1024 || path.includes("\0") || parts.some((part) => part === "" || part === "." || part === "..")) {
    throw badRequest(`${JSON.stringify(path)} is no path inside the program's folder`);
  }
}

const UNITS = ["wallMs", "cpuMs", "memoryMiB", "processes", "filesMiB", "outputBytes"] as const;

function checkLimits(limits: SandboxLimits): void {
  for (const name of UNITS) {
    if (!(Number.isFinite(limits[name]) && limits[name] > 0)) {
      throw badRequest(`the limit ${name} is ${limits[name]}, not a positive number`);
    }
  }
}

const badRequest = (what: string) => sandboxErrors.VERL_SANDBOX_BAD_REQUEST({ what });
