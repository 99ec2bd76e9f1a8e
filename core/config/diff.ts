import { type Dict, equal, type Node, type Path, pathText } from "./compose/tree.js";

/** A key that two configurations do not agree on; null where one of them has no such key. */
export interface KeyDifference {
  readonly key: string;
  readonly before: Node | null;
  readonly after: Node | null;
}

/** Keys whose values differ, in the order of the first configuration, then of the second. A list is one value. */
export function diffConfigs(before: Dict, after: Dict): KeyDifference[] {
  return walk(before, after, []);
}

function walk(before: Dict, after: Dict, path: Path): KeyDifference[] {
  const names = new Set([...before.entries.keys(), ...after.entries.keys()]);
  return [...names].flatMap((name) => {
    const inner = [...path, name];
    const [a, b] = [before.entries.get(name) ?? null, after.entries.get(name) ?? null];
    if (a && b && equal(a, b)) return [];
    if (isSection(a ?? b) && isSection(b ?? a)) return walk(asDict(a, before), asDict(b, after), inner);
    return [{ key: pathText(inner), before: a, after: b }];
  });
}

const isSection = (node: Node | null): boolean => node?.kind === "dict" && node.entries.size > 0;

/** A section that one side lacks is taken apart like one that it has. */
const asDict = (node: Node | null, parent: Dict): Dict =>
  node?.kind === "dict" ? node : { kind: "dict", entries: new Map(), source: parent.source };
