import { didYouMean } from "../host/util/nearest.js";
import type { KeyEntry } from "./keys/catalogue.js";
import { runConfigSchema } from "./schema/root.js";

export interface SchemaIssue {
  readonly code?: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** Of `unrecognized_keys`. */
  readonly keys?: readonly string[];
}

/** What is wrong inside an entry of a list of sections; null for a key that is wrong as a whole. */
export function entryProblem(issue: SchemaIssue, { key, path }: KeyEntry): string | null {
  const [index, ...inner] = issue.path.slice(path.length);
  if (typeof index !== "number") return null;
  const at = `${key}[${index}]`;
  if (issue.code === "unrecognized_keys" && issue.keys && issue.keys.length > 0) {
    const known = keysAt(issue.path);
    const [bad] = issue.keys;
    return `${at} has a key ${bad}, which there is not.${didYouMean(bad, known)}${known.length > 0 ? ` It takes ${known.join(", ")}.` : ""}`;
  }
  if (inner.length === 0) return null;
  return `${[at, ...inner.map(String)].join(".")}: ${issue.message.replace(/^Invalid input: /, "")}.`;
}

interface AnySchema {
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly element?: unknown;
  readonly def?: { readonly innerType?: unknown };
}

/** The keys of the section that the schema has at a path. */
function keysAt(path: readonly PropertyKey[]): readonly string[] {
  let schema = bare(runConfigSchema);
  for (const part of path) schema = bare(typeof part === "number" ? schema?.element : schema?.shape?.[String(part)]);
  return Object.keys(schema?.shape ?? {});
}

/** Without defaults and nullability around it. */
function bare(schema: unknown): AnySchema | undefined {
  let inner = schema as AnySchema | undefined;
  while (inner?.def?.innerType) inner = inner.def.innerType as AnySchema;
  return inner;
}
