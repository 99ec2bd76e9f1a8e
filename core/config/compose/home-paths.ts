import os from "node:os";
import path from "node:path";
import { configKeys } from "../keys/catalogue.js";
import type { Env } from "./references.js";
import { type Dict, type Node, nodeAt } from "./tree.js";

/** `~` and `~/…` as a shell reads them; other texts as they are. */
export function expandHome(text: string, env: Env): string {
  if (text !== "~" && !/^~[\\/]/.test(text)) return text;
  return path.join(env.HOME?.trim() || os.homedir(), text.slice(1));
}

/** Expands the home folder in every key that holds a path, one or a list of them. */
export function expandHomePaths(tree: Dict, env: Env): void {
  for (const { path: at, file } of configKeys) {
    const parent = file ? nodeAt(tree, at.slice(0, -1)) : null;
    if (parent?.kind !== "dict") continue;
    const name = at[at.length - 1];
    const node = parent.entries.get(name);
    if (node) parent.entries.set(name, expanded(node, env));
  }
}

function expanded(node: Node, env: Env): Node {
  if (node.kind === "list") return { ...node, items: node.items.map((item) => expanded(item, env)) };
  return node.kind === "scalar" && typeof node.value === "string"
    ? { ...node, value: expandHome(node.value, env) }
    : node;
}
