/**
 * `npm run golden -- FOLDER`: runs every vector file of a folder; the exit code is 1 when anything fails. With
 * `--implemented`, functions that this version does not have are left out instead of failing.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { GoldenCase, type GoldenFile, type Outcome, type RawCase, type Tolerance } from "./case.js";
import { compare } from "./compare.js";
import { families } from "./families/index.js";

export interface Report {
  readonly passed: number;
  readonly failures: readonly string[];
}

/** Runs the files of a folder, or only the named families, or only what has a handler. */
export function runFolder(folder: string, only?: readonly string[], implementedOnly = false): Report {
  const failures: string[] = [];
  let passed = 0;
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort();
  if (names.length === 0) failures.push(`${folder}: no vector files`);
  for (const name of names) {
    const file = readVectors(join(folder, name));
    if (!file) {
      failures.push(`${name}: no JSON object with a list of cases`);
      continue;
    }
    const family = file.family ?? basename(name, ".json");
    if (only && !only.includes(family)) continue;
    for (const raw of file.cases) {
      if (implementedOnly && !families[family]?.[raw.fn]) continue;
      const problem = runCase(family, raw, file.tol);
      if (problem === null) passed++;
      else failures.push(`${raw.id}: ${problem}`);
    }
  }
  return { passed, failures };
}

function readVectors(path: string): GoldenFile | null {
  try {
    const file = JSON.parse(readFileSync(path, "utf8")) as GoldenFile | null;
    return Array.isArray(file?.cases) ? file : null;
  } catch {
    return null;
  }
}

/** Null when the case passes, else why it does not. */
export function runCase(family: string, raw: RawCase, fileTolerance: Tolerance): string | null {
  const handlers = families[family];
  if (!handlers) return `unknown family "${family}"`;
  const handler = handlers[raw.fn];
  if (!handler) return `unknown function "${raw.fn}" of family "${family}"`;
  const quirk = /reference quirk/i.test(raw.note ?? "");
  const c = new GoldenCase(raw);
  let outcome: Outcome;
  try {
    outcome = handler(c);
  } catch (error) {
    return c.expectsError ? null : `threw ${error instanceof Error ? error.message : String(error)}`;
  }
  if (c.expectsError) return quirk ? null : `was accepted, expected an error (${raw.error?.type})`;
  return check(c, outcome, raw.tol ?? fileTolerance);
}

function check(c: GoldenCase, outcome: Outcome, tol: Tolerance): string | null {
  const checked = outcome.checked ?? {};
  const metricTol = { rtol: Math.max(tol.rtol, 1e-5), atol: Math.max(tol.atol, 1e-6) };
  const problems: (string | null)[] = [...Object.values(checked)];
  // Without any token that counts the reference divides 0 by 0; the right value is 0.
  const fallback = c.hasNoValidToken ? 0 : undefined;
  const section = (name: "outputs" | "metrics" | "grad", tolerance: Tolerance) => {
    for (const [key, expected] of Object.entries(c[name])) {
      if (key in checked) continue;
      const actual = outcome[name]?.[key];
      problems.push(compare(expected, actual, tolerance, `${name}.${key}`, outcome.insteadOfNaN?.[key] ?? fallback));
    }
  };
  section("outputs", tol);
  section("metrics", metricTol);
  section("grad", tol);
  return problems.find((p) => p !== null) ?? null;
}

function main(args: readonly string[]): number {
  const folder = args.find((arg) => !arg.startsWith("--"));
  if (!folder || !existsSync(folder)) {
    console.error(folder ? `There is no folder ${folder}.` : "usage: npm run golden -- FOLDER [--implemented]");
    return 2;
  }
  const { passed, failures } = runFolder(resolve(folder), undefined, args.includes("--implemented"));
  for (const failure of failures) console.log(`FAIL ${failure}`);
  console.log(`${passed} passed, ${failures.length} failed`);
  return failures.length > 0 ? 1 : 0;
}

if (process.argv[1] && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  process.exitCode = main(process.argv.slice(2));
}
