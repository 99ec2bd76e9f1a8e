/**
 * `npm run golden -- FOLDER`: runs every vector file of a folder; the exit code is 1 when anything fails. With
 * `--implemented`, functions that this version does not have are left out instead of failing.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { commandLine, folderOf } from "../command-line.js";
import { GoldenCase, type GoldenFile, type Handler, type Outcome, type RawCase, type Tolerance } from "./case.js";
import { compare } from "./compare.js";
import { families } from "./families/index.js";

const USAGE = "npm run golden -- FOLDER [--implemented]";
/** For files that state none. */
const DEFAULT_TOLERANCE: Tolerance = { rtol: 1e-6, atol: 1e-8 };

export interface Report {
  readonly passed: number;
  readonly failures: readonly string[];
}

/** Runs the files of a folder, or only the named families, or only what has a handler. */
export function runFolder(folder: string, only?: readonly string[], implementedOnly = false): Report {
  const failures: string[] = [];
  const seen = new Set<string>();
  let passed = 0;
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort();
  if (names.length === 0) failures.push(`${folder}: no vector files`);
  for (const name of names) {
    const file = readVectors(join(folder, name));
    if (typeof file === "string") {
      failures.push(`${name}: ${file}`);
      continue;
    }
    const family = file.family ?? basename(name, ".json");
    if (only && !only.includes(family)) continue;
    for (const [i, raw] of file.cases.entries()) {
      const shape = caseProblem(raw);
      if (shape !== null) {
        failures.push(`${name}, case ${i + 1}: ${shape}`);
        continue;
      }
      if (implementedOnly && !handlerOf(family, raw.fn)) continue;
      const problem = seen.has(raw.id) ? "a second case with this id" : runCase(family, raw, file.tol);
      seen.add(raw.id);
      if (problem === null) passed++;
      else failures.push(`${raw.id}: ${problem}`);
    }
  }
  return { passed, failures };
}

/** The vectors of a file, or what is wrong with it. */
function readVectors(path: string): GoldenFile | string {
  let file: GoldenFile | null;
  try {
    file = JSON.parse(readFileSync(path, "utf8")) as GoldenFile | null;
  } catch (error) {
    return `cannot be read as JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (!Array.isArray(file?.cases)) return "no JSON object with a list of cases";
  if (file.schema !== undefined && file.schema !== 1) return `schema ${file.schema} is not known; this runner reads 1`;
  if (file.cases.length === 0) return "no cases";
  if (file.tol !== undefined && !isTolerance(file.tol)) return "tol is not {rtol, atol} with two numbers";
  return file;
}

const isTolerance = (tol: Tolerance | null) => typeof tol?.rtol === "number" && typeof tol.atol === "number";

/** What keeps a value from being a case, or null. */
function caseProblem(raw: RawCase | null): string | null {
  if (typeof raw !== "object" || raw === null) return "not an object";
  if (typeof raw.id !== "string" || typeof raw.fn !== "string") return "has no id, or no fn";
  if (raw.tol !== undefined && !isTolerance(raw.tol)) return `${raw.id}: tol is not {rtol, atol} with two numbers`;
  const silent = [raw.outputs, raw.metrics, raw.grad, raw.error].every((section) => section === undefined);
  return silent ? `${raw.id}: expects nothing: no outputs, metrics, grad or error` : null;
}

function handlerOf(family: string, fn: string): Handler | undefined {
  const handlers = Object.hasOwn(families, family) ? families[family] : undefined;
  return handlers && Object.hasOwn(handlers, fn) ? handlers[fn] : undefined;
}

/** Null when the case passes, else why it does not. */
export function runCase(family: string, raw: RawCase, fileTolerance: Tolerance = DEFAULT_TOLERANCE): string | null {
  const handler = handlerOf(family, raw.fn);
  if (!Object.hasOwn(families, family)) return `unknown family "${family}"`;
  if (!handler) return `unknown function "${raw.fn}" of family "${family}"`;
  const quirk = /reference quirk/i.test(raw.note ?? "");
  let c: GoldenCase;
  try {
    c = new GoldenCase(raw);
  } catch (error) {
    return messageOf(error);
  }
  let outcome: Outcome;
  try {
    outcome = handler(c);
  } catch (error) {
    return c.expectsError ? null : `threw ${messageOf(error)}`;
  }
  if (c.expectsError) return quirk ? null : `was accepted, expected an error (${raw.error?.type})`;
  return check(c, outcome, raw.tol ?? fileTolerance);
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

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
  const { values, positionals } = commandLine({
    args: [...args],
    usage: USAGE,
    allowPositionals: true,
    options: { implemented: { type: "boolean" } },
  });
  const folder = folderOf(positionals, USAGE);
  const { passed, failures } = runFolder(resolve(folder), undefined, values.implemented);
  for (const failure of failures) console.log(`FAIL ${failure}`);
  console.log(`${passed} passed, ${failures.length} failed`);
  return failures.length === 0 && passed > 0 ? 0 : 1;
}

if (process.argv[1] && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  process.exitCode = main(process.argv.slice(2));
}
