import path from "node:path";
import { fileURLToPath } from "node:url";
import { reasonOf } from "../core/host/basics.js";
import { nextSteps } from "./create/next-steps.js";
import { listTemplates, ScaffoldError, scaffoldProject } from "./create/scaffold.js";
import { cliErrors } from "./errors.js";
import { type CommandIo, printJson, printLine } from "./program/io.js";
import { EXIT } from "./program/report-error.js";
import { VERSION } from "./program/version.js";

// Compiled files lie in dist/cli, two folders below the package's own.
const TEMPLATES = fileURLToPath(new URL("../../cli/create/templates", import.meta.url));

export interface NewRequest {
  /** Folder of the project; null: list the templates. */
  readonly target: string | null;
  readonly template: string;
  readonly json: boolean;
}

/** `verl new DIR`: a project that can be run. */
export function newCommand({ target, template, json }: NewRequest, io: CommandIo): number {
  if (target === null) {
    const templates = listTemplates(TEMPLATES);
    if (json) printJson(io, templates);
    else for (const { name, description } of templates) printLine(io.stdout, `${name.padEnd(10)} ${description}`);
    return EXIT.ok;
  }
  const folder = path.resolve(io.cwd, target);
  const name = coded(folder, () =>
    scaffoldProject({ templates: TEMPLATES, template, target: folder, version: VERSION }),
  );
  if (json) printJson(io, { name, folder, template });
  else printLine(io.stdout, nextSteps(path.relative(io.cwd, folder) || "."));
  return EXIT.ok;
}

export const templateNames = (): string[] => listTemplates(TEMPLATES).map(({ name }) => name);

/** What goes wrong while files are written, as an error of this command line. */
export function coded<T>(folder: string, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    const fix = cause instanceof ScaffoldError ? cause.fix : undefined;
    const what = fix === undefined ? "The project cannot be written." : reasonOf(cause);
    throw cliErrors.VERL_CLI_OUTPUT({ what, where: folder, ...(fix ? { fix } : { why: reasonOf(cause) }), cause });
  }
}
