import type { Body, Expression, Signature, Statement, StatementOf, Target } from "./ast.js";
import type { Symbols } from "./symbols.js";

/** Record in `symbols` the names that these statements read and assign, without those of scopes inside them. */
export function analyzeBody(symbols: Symbols, body: Body): void {
  for (const statement of body) analyze(symbols, statement);
}

function analyze(symbols: Symbols, statement: Statement): void {
  switch (statement.type) {
    case "print":
    case "with":
      analyzeExpressions(symbols, statement.values);
      break;
    case "if": {
      const [first, ...others] = statement.branches;
      analyzeIf(symbols, first, others, statement.otherwise);
      break;
    }
    case "for":
      analyzeExpressions(symbols, statement.iterable);
      break;
    case "set":
      analyzeExpressions(symbols, statement.value);
      analyzeTarget(symbols, statement.target);
      break;
    case "setBlock":
      analyzeTarget(symbols, statement.target);
      break;
    case "macro":
      symbols.store(statement.name);
      break;
    case "call":
      analyzeExpressions(symbols, statement.call);
      break;
    case "filterBlock":
      analyzeExpressions(symbols, statement.filter);
      break;
    case "load":
      analyzeExpressions(symbols, statement.template);
      for (const name of statement.stores) symbols.store(name);
      break;
    case "extends":
      analyzeExpressions(symbols, statement.template);
      break;
  }
}

type Branch = StatementOf<"if">["branches"][number];

function analyzeIf(symbols: Symbols, { test, body }: Branch, elifs: readonly Branch[], otherwise: Body): void {
  analyzeExpressions(symbols, test);
  symbols.branch([
    (inner) => analyzeBody(inner, body),
    (inner) => {
      for (const elif of elifs) analyzeIf(inner, elif, [], []);
    },
    (inner) => analyzeBody(inner, otherwise),
  ]);
}

/** The names that expressions read. */
export function analyzeExpressions(symbols: Symbols, tree: Expression | readonly Expression[]): void {
  walk(tree, (node) => {
    if (node.type === "name") symbols.load(node.name as string);
    return true;
  });
}

function analyzeTarget(symbols: Symbols, target: Target): void {
  if (target.type === "targets") for (const item of target.items) analyzeTarget(symbols, item);
  else if (target.type === "namespace") symbols.load(target.object);
  else symbols.store(target.name);
}

/** Names that are given from outside, as those of loops and parameters are. */
export function declareTarget(symbols: Symbols, target: Target): void {
  if (target.type === "targets") for (const item of target.items) declareTarget(symbols, item);
  else if (target.type !== "namespace") symbols.parameter(target.name);
}

export function analyzeMacro(symbols: Symbols, { parameters, defaults }: Signature, body: Body): void {
  for (const parameter of parameters) symbols.parameter(parameter.name);
  analyzeExpressions(symbols, defaults);
  analyzeBody(symbols, body);
}

/** Which of these names are read before anything assigns them; scopes inside count, blocks do not. */
export function undeclaredNames(body: Body, names: readonly string[]): Set<string> {
  const wanted = new Set(names);
  const found = new Set<string>();
  walk(body, (node) => {
    if (node.type === "store" || node.type === "parameter") wanted.delete(node.name as string);
    if (node.type === "name" && wanted.has(node.name as string)) found.add(node.name as string);
    return node.type !== "block";
  });
  return found;
}

export function assignsName(statement: Statement, name: string): boolean {
  let found = false;
  walk(statement, (node) => {
    found ||= node.type === "store" && node.name === name;
    return true;
  });
  return found;
}

/** All blocks in a tree, outer ones first. */
export function blocksIn(tree: Body | Statement): StatementOf<"block">[] {
  const out: StatementOf<"block">[] = [];
  walk(tree, (node) => {
    if (node.type === "block") out.push(node as unknown as StatementOf<"block">);
    return true;
  });
  return out;
}

interface Node {
  readonly type?: string;
  readonly name?: unknown;
}

/** Calls `visit` for each node in order of its members, and goes into those for which it returns true. Trees hold plain data only. */
function walk(tree: unknown, visit: (node: Node) => boolean): void {
  if (Array.isArray(tree)) for (const item of tree) walk(item, visit);
  else if (typeof tree === "object" && tree !== null) {
    const node = tree as Node;
    if (node.type === "constant" || !visit(node)) return;
    for (const member of Object.values(tree)) walk(member, visit);
  }
}
