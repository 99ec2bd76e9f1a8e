import { isMap, isNode, isScalar, isSeq, Pair, parseDocument, Scalar, stringify, YAMLMap, YAMLSeq } from "yaml";
import type { JsonValue } from "../host/types.js";
import { type Dict, type Node, sourceText, toPlain } from "./compose/tree.js";
import { maskSecrets } from "./secrets.js";

/**
 * A composed configuration as YAML that can be run again, secrets masked. With `sources`, each value set by somebody
 * carries a comment that says where it comes from.
 */
export function printConfig(
  tree: Dict,
  options: { sources: boolean; env?: Readonly<Record<string, string | undefined>> },
): string {
  const masked = maskSecrets(toPlain(tree), options.env);
  return stringify(toYaml(tree, masked, options.sources), { lineWidth: 0, version: "1.2" });
}

function toYaml(node: Node, value: JsonValue, sources: boolean): YAMLMap | YAMLSeq | Scalar {
  if (node.kind === "dict" && node.entries.size > 0) {
    const map = new YAMLMap();
    for (const [key, item] of node.entries) {
      const child = toYaml(item, (value as Record<string, JsonValue>)[key], sources);
      if (sources && item.source.kind !== "default" && !(child instanceof YAMLMap))
        child.comment = ` ${sourceText(item.source)}`;
      // Keys are distinct already; `add` would compare each with all others.
      map.items.push(new Pair(key, child));
    }
    return map;
  }
  if (node.kind === "list") {
    const list = new YAMLSeq();
    for (const [i, item] of node.items.entries()) list.add(toYaml(item, (value as JsonValue[])[i], false));
    list.flow = list.items.every((item) => !(item instanceof YAMLMap) && !isSeq(item));
    return list;
  }
  if (node.kind === "dict") {
    const empty = new YAMLMap();
    empty.flow = true;
    return empty;
  }
  return new Scalar(value);
}

/** The sources that {@link printConfig} wrote beside the values, by key; what it wrote none for was left at its default. */
export function printedSources(text: string): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  const visit = (node: unknown, path: readonly string[]): void => {
    if (isNode(node) && node.comment && path.length > 0) sources.set(path.join("."), node.comment.trim());
    if (!isMap(node)) return;
    for (const { key, value } of node.items) visit(value, [...path, isScalar(key) ? String(key.value) : String(key)]);
  };
  visit(parseDocument(text).contents, []);
  return sources;
}
