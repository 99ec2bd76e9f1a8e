import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { nearestName } from "../../core/host/basics.js";
import { PLUGIN_API_VERSION } from "../../core/plugin-api-version.js";
import { claimFolder, copyTemplate, fill, makeFolder } from "../create/scaffold.js";
import { cliErrors } from "../errors.js";
import { coded } from "../new-command.js";
import { type CommandIo, printJson, printLine } from "../program/io.js";
import { EXIT } from "../program/report-error.js";
import { VERSION } from "../program/version.js";

const TEMPLATES = fileURLToPath(new URL("../../../cli/templates/plugin", import.meta.url));
const KINDS = path.join(TEMPLATES, "kinds");
const PACKAGE_NAME = /^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;

/** `kinds/NAME/kind.json`: what one kind adds to the files that every plugin has. */
interface KindTemplate {
  readonly description: string;
  /** Names of kinds in the manifest. */
  readonly provides: readonly string[];
  /** Lines of `src/register.ts`. */
  readonly imports: readonly string[];
  readonly register: readonly string[];
  /** A sentence of the README: how a run comes to use it. */
  readonly use: string;
  /** Names of conformance suites, and lines of `test/conformance.test.js`. */
  readonly suites: readonly string[];
  readonly testImports: readonly string[];
  readonly tests: readonly string[];
  /** A suite of `verl plugins test` that the template as it is cannot pass. */
  readonly skip?: string;
  /** What the kind's own files are, for the README. */
  readonly files: Readonly<Record<string, string>>;
}

export interface NewPluginRequest {
  /** Name of the package; null: list the kinds. */
  readonly name: string | null;
  /** Separated by commas. */
  readonly kinds: string | null;
  /** Default: the name of the package without its scope. */
  readonly dir: string | null;
  readonly json: boolean;
}

/** `verl plugins new NAME --kind KIND`: a package with the conformance suites of its kinds. */
export function newPlugin({ name, kinds, dir, json }: NewPluginRequest, io: CommandIo): number {
  if (name === null) {
    const list = pluginKinds().map((kind) => ({ kind, description: templateOf(kind).description }));
    if (json) printJson(io, list);
    else {
      const width = Math.max(...list.map(({ kind }) => kind.length));
      for (const { kind, description } of list) printLine(io.stdout, `${kind.padEnd(width)}  ${description}`);
    }
    return EXIT.ok;
  }
  if (!PACKAGE_NAME.test(name)) {
    throw cliErrors.VERL_CLI_USAGE({
      what: `"${name}" is no name for a package.`,
      fix: "Use small letters, digits, dots and dashes, as in verl-acme or @acme/verl-rewards.",
    });
  }
  const chosen = chosenKinds(kinds);
  const folder = path.resolve(io.cwd, dir ?? path.basename(name));
  coded(folder, () => write(name, chosen, folder));
  if (json) printJson(io, { name, folder, kinds: chosen });
  else {
    const where = path.relative(io.cwd, folder) || ".";
    const steps = [`cd ${where}`, "npm install", "npm test"].map((step) => `  ${step}`);
    printLine(io.stdout, `A plugin was written to ${where}. Next:\n\n${steps.join("\n")}`);
  }
  return EXIT.ok;
}

function write(name: string, kinds: readonly string[], folder: string): void {
  claimFolder(folder);
  const parts = kinds.map(templateOf);
  const short = shortName(name);
  // An engine beside a platform is for that platform's device.
  const device = kinds.includes("platform") ? `${short}-device` : "cpu";
  const own = { NAME: name, SHORT: short, DEVICE: device, VERSION, API: PLUGIN_API_VERSION };
  const lines = (pick: (part: KindTemplate) => readonly string[], indent = "") =>
    [...new Set(parts.flatMap(pick))].map((line) => indent + line).join("\n");
  const suites = [...new Set(["pluginConformance", "runConformance", ...parts.flatMap((part) => part.suites)])].sort();
  const composed = {
    DESCRIPTION: parts.map(({ description }) => description).join("; "),
    SKIP: parts.some(({ skip }) => skip) ? ` --skip ${parts.flatMap(({ skip }) => skip ?? []).join(",")}` : "",
    PROVIDES: parts
      .flatMap(({ provides }) => provides)
      .map((kind) => `"${kind}"`)
      .join(", "),
    IMPORTS: lines((part) => part.imports),
    REGISTER: lines((part) => part.register, "  "),
    USE: parts.map(({ use }) => use).join("\n\n"),
    FILES: parts
      .flatMap(({ files }) => Object.entries(files).map(([file, what]) => `| \`${file}\` | ${what} |`))
      .join("\n"),
    SUITES: suites.join(", "),
    TEST_IMPORTS: lines((part) => part.testImports),
    // Names of one kind's tests are not to meet those of another.
    TESTS: parts
      .map(({ tests }) => (parts.length > 1 ? ["{", ...tests.map((line) => `  ${line}`), "}"] : tests).join("\n"))
      .join("\n"),
  };
  copyTemplate(path.join(TEMPLATES, "shared"), folder, composed);
  for (const kind of kinds) {
    makeFolder(path.join(folder, "src"));
    for (const file of readdirSync(path.join(KINDS, kind, "src"))) {
      const text = readFileSync(path.join(KINDS, kind, "src", file), "utf8");
      writeFileSync(path.join(folder, "src", file), text);
    }
  }
  refill(folder, own);
}

/** The pieces of the kinds hold the plugin's own names. */
function refill(folder: string, values: Readonly<Record<string, string>>): void {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    writeFileSync(file, fill(readFileSync(file, "utf8"), values));
  }
}

function chosenKinds(text: string | null): string[] {
  const known = pluginKinds();
  const chosen = [...new Set((text ?? "").split(",").map((kind) => kind.trim()))].filter((kind) => kind !== "");
  if (chosen.length === 0) {
    throw cliErrors.VERL_CLI_USAGE({
      what: "What should the plugin add?",
      fix: `Name it with --kind: ${known.join(", ")}; several with commas. \`verl plugins new\` says what they are.`,
    });
  }
  for (const kind of chosen) {
    if (known.includes(kind)) continue;
    const nearest = nearestName(kind, known);
    throw cliErrors.VERL_CLI_USAGE({
      what: `There is no template for the kind "${kind}".${nearest ? ` Did you mean ${nearest}?` : ""}`,
      fix: `Choose among ${known.join(", ")}.`,
    });
  }
  return chosen;
}

export const pluginKinds = (): string[] =>
  readdirSync(KINDS).filter((kind) => existsSync(path.join(KINDS, kind, "kind.json")));

const templateOf = (kind: string): KindTemplate =>
  JSON.parse(readFileSync(path.join(KINDS, kind, "kind.json"), "utf8")) as KindTemplate;

/** `acme` of `verl-acme` and of `@acme/verl-acme`: the name under which it registers things. */
const shortName = (name: string): string =>
  path
    .basename(name)
    .replace(/^verl-/, "")
    .replace(/-plugin$/, "");
