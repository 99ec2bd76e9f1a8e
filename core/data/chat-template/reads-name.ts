import type { Statement } from "./ast.js";

/** Whether a variable of this name is read anywhere in these statements. */
export function readsName(statements: readonly Statement[], name: string): boolean {
  return search(statements, name);
}

/** Syntax trees hold plain data only, so a walk over all members reaches every expression. */
function search(node: unknown, name: string): boolean {
  if (Array.isArray(node)) return node.some((item) => search(item, name));
  if (typeof node !== "object" || node === null) return false;
  const tree = node as Record<string, unknown>;
  if (tree.type === "name" && tree.name === name) return true;
  if (tree.type === "constant") return false;
  return Object.values(tree).some((item) => search(item, name));
}
