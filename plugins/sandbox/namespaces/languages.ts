import fs from "node:fs";
import type { SandboxLimits } from "../../../core/plugin.js";

interface Language {
  /** File that the program is saved as. */
  readonly file: string;
  /** Where its interpreter is looked for. */
  readonly places: () => readonly string[];
  readonly flags?: (limits: SandboxLimits) => readonly string[];
  /** Memory that the interpreter reserves and does not touch, in MiB. */
  readonly reservedMiB?: number;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  python: { file: "main.py", places: () => ["/usr/bin/python3", "/usr/local/bin/python3"] },
  javascript: {
    file: "main.js",
    places: () => [process.execPath],
    // V8 would size its heap after the whole machine, and collect garbage only when the limit is long passed.
    flags: ({ memoryMiB }) => [`--max-old-space-size=${Math.max(16, Math.floor(0.75 * memoryMiB))}`],
    // Since Node.js 24, room for compiled code is writable from the start, and so counts as data.
    reservedMiB: 512,
  },
  bash: { file: "main.sh", places: () => ["/usr/bin/bash", "/bin/bash"] },
};

export const LANGUAGE_NAMES: readonly string[] = Object.keys(LANGUAGES);

/** Interpreters by language, as far as there are any. `named` wins over the usual places. */
export function findInterpreters(named: Readonly<Record<string, string>> = {}): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, { places }] of Object.entries(LANGUAGES)) {
    const path = (named[name] ? [named[name]] : places()).find(isProgram);
    if (path !== undefined) found.set(name, path);
  }
  return found;
}

export const programFile = (language: string): string => LANGUAGES[language].file;

/** What an interpreter reserves beside the memory that its program uses, in MiB. */
export const reservedMiB = (language: string): number => LANGUAGES[language].reservedMiB ?? 0;

/** Flags of the interpreter, and the program. */
export function interpreterArguments(language: string, limits: SandboxLimits): string[] {
  const { file, flags } = LANGUAGES[language];
  return [...(flags?.(limits) ?? []), file];
}

function isProgram(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.X_OK);
    return fs.statSync(path).isFile();
  } catch {
    return false;
  }
}
