import { type Dict, nodeAt, sourceText } from "../compose/tree.js";

/** Where a key was set (`file:line:column`, an override, `default`); the nearest section's place where it has none of its own. */
export function sourceOfKey(tree: Dict, key: string): string | undefined {
  const path = key.split(".");
  for (let length = path.length; length > 0; length--) {
    const node = nodeAt(tree, path.slice(0, length));
    if (node) return sourceText(node.source);
  }
  return undefined;
}
