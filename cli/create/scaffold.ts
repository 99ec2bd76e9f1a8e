import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Projects to start from. Needs nothing but Node: the package behind `npm create verl-ts` holds this file and the templates,
 * and is fetched in a moment.
 */
export interface Template {
  readonly name: string;
  readonly description: string;
}

/** What every template begins with. */
const SHARED = "shared";
const ABOUT = "template.json";

export const DEFAULT_TEMPLATE = "letters";

/** A folder or a name that cannot be used; the message says why. */
export class ScaffoldError extends Error {
  constructor(
    message: string,
    readonly fix: string,
  ) {
    super(message);
    this.name = "ScaffoldError";
  }
}

export function listTemplates(templates: string): Template[] {
  return readdirSync(templates)
    .filter((name) => existsSync(path.join(templates, name, ABOUT)))
    .map((name) => {
      const { description } = JSON.parse(readFileSync(path.join(templates, name, ABOUT), "utf8")) as Template;
      return { name, description };
    });
}

export interface ScaffoldOptions {
  /** Folder of the templates. */
  readonly templates: string;
  readonly template: string;
  /** Where the project goes: a folder that is not there yet, or empty. */
  readonly target: string;
  /** Version of verl-ts that the project depends on. */
  readonly version: string;
}

/** Writes a project; returns the name of its package. */
export function scaffoldProject({ templates, template, target, version }: ScaffoldOptions): string {
  const names = listTemplates(templates).map(({ name }) => name);
  if (!names.includes(template)) {
    throw new ScaffoldError(`There is no template "${template}".`, `Choose one of ${names.join(", ")}.`);
  }
  const name = packageName(path.basename(path.resolve(target)));
  claimFolder(target);
  const values = { NAME: name, VERSION: version };
  for (const part of [SHARED, template]) copyTemplate(path.join(templates, part), target, values);
  return name;
}

/** Makes the folder; one that holds anything but a fresh repository is refused. */
export function claimFolder(target: string): void {
  if (existsSync(target) && !statSync(target).isDirectory()) {
    throw new ScaffoldError(`${target} is a file.`, "Name a folder that is not there yet.");
  }
  makeFolder(target);
  const present = readdirSync(target).filter((entry) => entry !== ".git");
  if (present.length === 0) return;
  throw new ScaffoldError(
    `The folder ${target} is not empty: it holds ${present.slice(0, 3).join(", ")}${present.length > 3 ? ", …" : ""}.`,
    "Name a folder that is not there yet.",
  );
}

/** A folder and those above it: Node's own recursive `mkdirSync` never ends where a file system takes no folders, as `/proc` does. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const above = path.dirname(folder);
  if (above !== folder) makeFolder(above);
  mkdirSync(folder);
}

/**
 * Copies a folder. `__NAME__` and the like become values in texts. A leading underscore of a file's name is dropped, so that
 * no tool takes the package.json or .gitignore of a template for its own.
 */
export function copyTemplate(source: string, target: string, values: Readonly<Record<string, string>>): void {
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    if (entry.name === ABOUT) continue;
    const from = path.join(source, entry.name);
    const to = path.join(target, nameOf(entry.name));
    if (entry.isDirectory()) {
      makeFolder(to);
      copyTemplate(from, to, values);
    } else if (/\.(jsonl|bin|safetensors)$/.test(entry.name)) copyFileSync(from, to);
    else writeFileSync(to, fill(readFileSync(from, "utf8"), values));
  }
}

/** `__NAME__` becomes the value of `NAME`. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((result, [name, value]) => result.replaceAll(`__${name}__`, value), text);
}

const nameOf = (file: string): string => {
  if (file === "_gitignore") return ".gitignore";
  return file.startsWith("_") ? file.slice(1) : file;
};

/** A name that npm takes, from the name of a folder. */
function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|-+$/g, "");
  return name === "" ? "verl-project" : name.slice(0, 100);
}
