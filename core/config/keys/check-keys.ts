import type { JsonValue } from "../../host/types.js";
import { composeUser } from "../compose/compose.js";
import {
  clone,
  DEFAULT,
  type Dict,
  dict,
  equal,
  fromPlain,
  type Node,
  nodeAt,
  type Path,
  pathText,
  sourceText,
  toPlain,
  valueText,
} from "../compose/tree.js";
import { entryProblem, type SchemaIssue } from "../entry-problem.js";
import { nearestKeys, suggestionText } from "../nearest.js";
import { MAX_PROBLEMS, MAX_SUGGESTIONS, type Notice, type Problem } from "../problems.js";
import { type RunConfig, runConfigSchema } from "../schema/root.js";
import { holdsSecret, MASK } from "../secrets.js";
import { findKey, findSection, type KeyEntry, openSectionOf } from "./catalogue.js";
import { sinceText } from "./deprecation.js";
import { holdsKnownKeys, knownKey } from "./find-key.js";
import type { KnownKey } from "./known-key.js";
import { bringsKey, type PluginSchema } from "./plugin-schemas.js";
import { typeHint } from "./type-hint.js";

type Ignored = Map<string, { readonly entry: KnownKey; readonly node: Node }>;
type Brought = { readonly path: Path; readonly node: Node }[];

export interface KeyCheck {
  /** With defaults in place of values that have the wrong type, so that the rest can still be checked. */
  readonly config: RunConfig;
  readonly problems: readonly Problem[];
  readonly notices: readonly Notice[];
}

/** Checks names and types of all keys of a complete tree (defaults included, references resolved). */
export function checkKeys(tree: Dict, schemas: readonly PluginSchema[] = []): KeyCheck {
  const problems: Problem[] = [];
  const ignored: Ignored = new Map();
  const brought: Brought = [];
  const isBrought = (path: Path) => schemas.some((schema) => bringsKey(schema, path));
  const own = keepOwnKeys(tree, [], (node, path) => {
    if (isBrought(path)) brought.push({ path, node });
    else if (path.some((name) => name.includes("."))) problems.push(dottedName(path, node));
    else checkForeign(node, path, problems, ignored);
  });
  const parsed = runConfigSchema.safeParse(toPlain(own));
  let config = parsed.data;
  if (!parsed.success) {
    const found = typeProblems(parsed.error.issues, own);
    problems.push(...roots(found, own));
    config = runConfigSchema.parse(toPlain(repaired(own, found)));
  }
  const notices = [...ignored.values()].map(({ entry, node }) => ignoredNotice(entry, node));
  for (const { path, node } of brought) place(config as RunConfig, path, toPlain(node));
  return { config: config as RunConfig, problems, notices };
}

function ignoredNotice(entry: KnownKey, node: Node): Notice {
  const { key, note, removed } = entry;
  const at = { level: "notice", key, where: sourceText(node.source) } as const;
  if (!removed) return { ...at, message: `${key} has no effect here: ${note}.` };
  const message = `${key} was removed (${sinceText(removed.since)}) and has no effect: ${note}.`;
  return { ...at, message, deprecation: { kind: "removed", key, ...removed } };
}

/** Without the keys whose default follows a wrong one. */
function roots(problems: readonly Problem[], tree: Dict): readonly Problem[] {
  const set = problems.filter(({ key }) => nodeAt(tree, key.split("."))?.source.kind !== "default");
  return set.length > 0 ? set : problems;
}

/** A copy with the default at every key that has a problem. */
function repaired(tree: Dict, problems: readonly Problem[]): Dict {
  const defaults = composeUser(dict(DEFAULT), {}).tree;
  const copy = clone(tree) as Dict;
  for (const { key } of problems) {
    const path = key.split(".");
    const parent = nodeAt(copy, path.slice(0, -1));
    const value = nodeAt(defaults, path);
    if (parent?.kind === "dict" && value) parent.entries.set(path[path.length - 1], value);
  }
  return copy;
}

/** The keys that the schema knows; the others are handed to `foreign`. */
function keepOwnKeys(section: Dict, path: Path, foreign: (node: Node, path: Path) => void): Dict {
  const kept = dict(section.source);
  for (const [name, node] of section.entries) {
    const inner = [...path, name];
    const key = pathText(inner);
    if (name.includes(".")) foreign(node, inner);
    else if (findKey(key)) kept.entries.set(name, node);
    else if (!findSection(key)) foreign(node, inner);
    else kept.entries.set(name, node.kind === "dict" ? keepOwnKeys(node, inner, foreign) : node);
  }
  return kept;
}

/** `trainer.seed: 3` in a file is one name, not two. */
function dottedName(path: Path, node: Node): Problem {
  const key = pathText(path);
  const [first, ...rest] = key.split(".");
  return {
    code: "VERL_CONFIG_UNKNOWN_KEY",
    key,
    meant: [key],
    what: `There is no key of the name ${JSON.stringify(path.at(-1))}: in a file, and inside of values, a dot is part of a name.`,
    where: sourceText(node.source),
    fix: `Write sections below each other: ${[first, ...rest].map((name) => `${name}:`).join(" ")} … Only overrides on the command line take dots.`,
  };
}

/** Puts a plugin's value into its place in the validated configuration. */
function place(config: object, path: Path, value: JsonValue): void {
  const holder = path.slice(0, -1).reduce((at, part) => (at as Record<string, object>)[part], config);
  Object.defineProperty(holder, path[path.length - 1], { value, enumerable: true, writable: true, configurable: true });
}

/** A key that is not ours: verl's, which the table judges, or nobody's. */
function checkForeign(node: Node, path: Path, problems: Problem[], ignored: Ignored): void {
  if (problems.length >= MAX_PROBLEMS) return;
  const key = pathText(path);
  const entry = knownKey(path);
  if (node.kind === "dict" && (holdsKnownKeys(path) || entry?.section)) {
    for (const [name, item] of node.entries) checkForeign(item, [...path, name], problems, ignored);
    if (node.entries.size === 0 && entry) ignored.set(entry.key, { entry, node });
  } else if (!entry) {
    const meant = problems.length < MAX_SUGGESTIONS ? nearestKeys(path) : [];
    problems.push({
      code: "VERL_CONFIG_UNKNOWN_KEY",
      key,
      ...(meant.length > 0 ? { meant } : {}),
      what: `There is no key ${key}.${suggestionText(meant)}`,
      where: sourceText(node.source),
    });
  } else if (entry.allowed) {
    const { allowed } = entry;
    if (allowed.some((value) => equal(fromPlain(value, node.source), node))) return;
    problems.push(
      entry.removed
        ? removedProblem(entry, node)
        : {
            code: "VERL_CONFIG_UNSUPPORTED",
            key,
            what: `${key} = ${show(key, node)} is not available: ${entry.note}.`,
            where: sourceText(node.source),
            why: "It would change the result, so it is not ignored.",
            fix: `Remove it, or set it to ${allowed.map((value) => JSON.stringify(value)).join(" or ")}.`,
          },
    );
  } else if (!ignored.has(entry.key)) ignored.set(entry.key, { entry, node });
}

/** A key that would change the result, and that verl itself would not read any more. */
function removedProblem({ key, note, removed }: KnownKey, node: Node): Problem {
  const { since, instead } = removed as NonNullable<KnownKey["removed"]>;
  return {
    code: "VERL_CONFIG_REMOVED_KEY",
    key,
    what: `${key} = ${show(key, node)}: this key was removed ${sinceText(since)}.`,
    where: sourceText(node.source),
    why: `${note.charAt(0).toUpperCase()}${note.slice(1)}. It would change the result, so it is not ignored.`,
    fix: instead ? `Remove it and see ${instead}: verl config explain ${instead}.` : "Remove it.",
    deprecation: { kind: "removed", key, since, ...(instead ? { instead } : {}) },
  };
}

function typeProblems(issues: readonly SchemaIssue[], tree: Dict): Problem[] {
  const byKey = new Map<string, Problem>();
  for (const issue of issues) {
    const path = issue.path.map(String);
    const entry = keyOf(path);
    const key = entry?.key ?? pathText(path);
    // A name that there is not says more than that the right one is missing.
    if (byKey.has(key) && issue.code !== "unrecognized_keys") continue;
    const problem = typeProblem(key, entry, path, tree);
    const inEntry = entry === null ? null : entryProblem(issue, entry);
    byKey.set(key, inEntry === null ? problem : { ...problem, what: inEntry });
  }
  return [...byKey.values()];
}

function typeProblem(key: string, entry: KeyEntry | null, path: Path, tree: Dict): Problem {
  const at = entry?.path ?? path;
  const whole = nodeAt(tree, at);
  const exact = nodeAt(tree, path) ?? whole;
  const expected = entry?.typeText ?? "section";
  const where = exact ? sourceText(exact.source) : undefined;
  const what = `${key} is ${whole ? show(key, whole) : "missing"}; it must be a ${expected}.`.replace(
    /must be a (one of|true|text|list of|value)/,
    (_, word: string) =>
      word === "list of" ? "must be a list of" : word === "value" ? "must be a value" : `must be ${word}`,
  );
  const fix = `\`verl config explain ${key}\` shows type, range and default.`;
  return {
    code: "VERL_CONFIG_TYPE",
    key,
    what,
    where,
    fix,
    ...(entry?.guarded && isBeyond(exact) ? { why: GUARD } : typeHint(exact, expected, path.slice(at.length))),
  };
}

const GUARD = "That is more than a machine could hold: the bound is there for typing errors.";

/** Of a count that is wrong: a count all the same, so one that is too large. */
const isBeyond = (node: Node | null): boolean =>
  node?.kind === "scalar" && Number.isInteger(node.value) && Number(node.value) > 1;

function keyOf(path: Path): KeyEntry | null {
  return findKey(pathText(path)) ?? openSectionOf(path) ?? (path.length > 1 ? keyOf(path.slice(0, -1)) : null);
}

function show(key: string, node: Node): string {
  const value = toPlain(node);
  const text = typeof value === "string" && holdsSecret(key, value) ? MASK : valueText(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
