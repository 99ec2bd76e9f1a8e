import { DEFAULT, type Dict, dict, type Node, type Path } from "./compose/tree.js";
import { printConfig, printedSources } from "./print.js";

const HEADER = "# A whole configuration: values without a comment were defaults.";

/** A composed configuration as a run keeps it: every value, secrets masked, with the source of those that somebody set. */
export function saveConfig(tree: Dict, env: Readonly<Record<string, string | undefined>>): string {
  return `${HEADER}\n${printConfig(tree, { sources: true, env })}`;
}

/**
 * Of a file that {@link saveConfig} wrote, the values that nobody set count as defaults again, or each of them would be
 * reported where it has no effect. Any other file stays as it is.
 */
export function unsetDefaults(tree: Dict, text: string): Dict {
  if (!text.startsWith(HEADER)) return tree;
  const sources = printedSources(text);
  const visit = (node: Node, path: Path): Node => {
    if (sources.has(path.join("."))) return node;
    if (node.kind !== "dict") return { ...node, source: DEFAULT };
    return dict(
      DEFAULT,
      [...node.entries].map(([name, item]) => [name, visit(item, [...path, name])] as const),
    );
  };
  return visit(tree, []) as Dict;
}
