import fs from "node:fs";
import path from "node:path";
import type { CaseInput, CaseKind } from "./kind.js";

export interface CaseFailure {
  readonly id: string;
  readonly kind: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

export interface CaseOptions {
  readonly kinds: readonly CaseKind[];
  readonly kind?: string;
  readonly idPrefix?: string;
  /** Leave cases of other kinds out instead of failing them: for a version that does not implement every kind yet. */
  readonly implementedOnly?: boolean;
}

export interface CaseReport {
  readonly passed: number;
  readonly failures: readonly CaseFailure[];
}

const COMMON_FIELDS = ["id", "kind", "expect", "why", "note"];

/** Runs every case of every `*.jsonl` file in a folder. Whatever is not understood is a failure, never a skip. */
export async function runCases(folder: string, options: CaseOptions): Promise<CaseReport> {
  const failures: CaseFailure[] = [];
  const seen = new Set<string>();
  let passed = 0;
  for (const file of fs
    .readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .sort()) {
    const lines = fs.readFileSync(path.join(folder, file), "utf8").split("\n");
    for (const [i, line] of lines.entries()) {
      if (line.trim() === "") continue;
      const failure = await runLine(line, `${file}:${i + 1}`, seen, options);
      if (failure === "left out") continue;
      if (failure) failures.push(failure);
      else passed++;
    }
  }
  return { passed, failures };
}

async function runLine(
  line: string,
  place: string,
  seen: Set<string>,
  options: CaseOptions,
): Promise<CaseFailure | "left out" | null> {
  let input: CaseInput;
  try {
    input = JSON.parse(line) as CaseInput;
  } catch (error) {
    return fail(place, "?", "one JSON object a line", String(error));
  }
  if (typeof input !== "object" || input === null || typeof input.id !== "string") {
    return fail(place, "?", "an object with an id", input);
  }
  const { id, kind: kindName } = input;
  const repeated = seen.has(id);
  seen.add(id);
  if ((options.kind && kindName !== options.kind) || !id.startsWith(options.idPrefix ?? "")) return "left out";
  if (repeated) return fail(id, kindName, "a unique id", "a second case with this id");
  const kind = options.kinds.find((candidate) => candidate.name === kindName);
  if (!kind) {
    return options.implementedOnly ? "left out" : fail(id, kindName, "a known kind", `unknown kind "${kindName}"`);
  }
  if (typeof input.expect !== "object" || input.expect === null || Array.isArray(input.expect)) {
    return fail(id, kindName, "an object in the field expect", input.expect);
  }
  const unknown = unknownFields(input, kind);
  if (unknown.length > 0) return fail(id, kindName, "known fields", `unknown fields ${unknown.join(", ")}`);
  try {
    const mismatch = await kind.run(input, line);
    return mismatch && { id, kind: kindName, ...mismatch };
  } catch (error) {
    return fail(id, kindName, input.expect, `threw ${error}`);
  }
}

function unknownFields(input: CaseInput, kind: CaseKind): string[] {
  return [
    ...Object.keys(input).filter((field) => !COMMON_FIELDS.includes(field) && !kind.fields.includes(field)),
    ...Object.keys(input.expect)
      .filter((field) => !kind.expectFields.includes(field))
      .map((field) => `expect.${field}`),
  ];
}

function fail(id: string, kind: string, expected: unknown, actual: unknown): CaseFailure {
  return { id, kind, expected, actual };
}

/** One line: id, what was expected, what came. */
export function failureLine({ id, expected, actual }: CaseFailure): string {
  const text = (value: unknown) =>
    (typeof value === "string" ? value : (JSON.stringify(value) ?? String(value))).replaceAll("\n", "\\n");
  return `FAIL ${id}: expected ${text(expected)}, got ${text(actual)}`;
}
