import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  visit,
  type Node as YamlNode,
} from "yaml";
import { configErrors } from "./errors.js";
import { type Dict, dict, type Node, type Scalar, type Source, scalar } from "./tree.js";

/** Bound of nodes after aliases are expanded: no sensible configuration comes near, a bomb of aliases does. */
const MAX_NODES = 100_000;
const MAX_DEPTH = 100;

/**
 * Reads one YAML 1.2 document (core schema: `1e-6` is a number, `010` is ten, `yes` and `12:30` are texts) whose top is a
 * mapping. Every value keeps its line and column. Duplicate keys, unknown tags, circular aliases and alias bombs are
 * `VERL_CONFIG_SYNTAX`.
 */
export function parseYaml(text: string, file: string): Dict {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: "1.2",
    schema: "core",
    merge: false,
    uniqueKeys: true,
    strict: true,
    prettyErrors: false,
    lineCounter: lines,
  });
  if (documents.length === 0) return dict({ kind: "file", file, line: 1, column: 1 });

  const reader = new Reader(file, lines);
  for (const document of documents) {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) throw reader.error(problem.message, problem.pos[0]);
  }
  if (documents.length > 1) {
    throw reader.error("The file holds more than one YAML document.", documents[1].range[0]);
  }
  const [document] = documents;
  const targets = aliasTargets(document);
  const node = reader.read(document.contents as YamlNode | null, (alias) => targets.get(alias) ?? null, 0);
  if (node.kind === "dict") return node;
  if (node.kind === "scalar" && node.value === null) return dict(node.source);
  throw reader.error("A configuration must be a mapping of keys to values.", 0);
}

/** What each alias stands for: the latest node with its anchor before it. */
function aliasTargets(document: Document): Map<Alias, YamlNode> {
  const anchors = new Map<string, YamlNode>();
  const targets = new Map<Alias, YamlNode>();
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target) targets.set(node, target);
      } else if ("anchor" in node && node.anchor) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

type ResolveAlias = (alias: Alias) => YamlNode | null;

class Reader {
  readonly #open = new Set<YamlNode>();
  #nodes = 0;

  constructor(
    private readonly file: string,
    private readonly lines: LineCounter,
  ) {}

  read(node: YamlNode | null, resolve: ResolveAlias, depth: number): Node {
    const source = this.#source(node);
    if (++this.#nodes > MAX_NODES)
      throw this.error(`More than ${MAX_NODES} values after aliases are expanded.`, offset(node));
    if (depth > MAX_DEPTH) throw this.error(`Nested deeper than ${MAX_DEPTH} levels.`, offset(node));
    if (node === null) return scalar(null, source);
    if (isAlias(node)) {
      const target = resolve(node);
      if (!target) throw this.error(`The alias *${node.source} has no anchor.`, offset(node));
      return this.#guarded(target, node, () => this.read(target, resolve, depth + 1));
    }
    if (isScalar(node)) return this.#scalar(node, source);
    if (isSeq(node)) {
      return this.#guarded(node, node, () => ({
        kind: "list",
        items: node.items.map((item) => this.read(item as YamlNode | null, resolve, depth + 1)),
        source,
      }));
    }
    if (isMap(node)) {
      return this.#guarded(node, node, () => {
        const result = dict(source);
        for (const pair of node.items) {
          const key = this.#key(pair.key as YamlNode | null, resolve, node);
          if (result.entries.has(key)) throw this.error(`The key "${key}" occurs twice.`, offset(pair.key as YamlNode));
          result.entries.set(key, this.read(pair.value as YamlNode | null, resolve, depth + 1));
        }
        return result;
      });
    }
    throw this.error("This kind of YAML value is not supported.", offset(node));
  }

  error(what: string, position: number) {
    const { line, col } = this.lines.linePos(position);
    const sentence = /[.!?]$/.test(what) ? what : `${what}.`;
    return configErrors.VERL_CONFIG_SYNTAX({
      what: sentence,
      where: `${this.file}:${line || 1}:${col || 1}`,
      data: { file: this.file, line: line || 1, column: col || 1 },
    });
  }

  #guarded(target: YamlNode, at: YamlNode, read: () => Node): Node {
    if (this.#open.has(target)) {
      if (target === at) return read();
      throw this.error("An alias refers to a value that contains it.", offset(at));
    }
    this.#open.add(target);
    const result = read();
    this.#open.delete(target);
    return result;
  }

  #scalar(node: { value: unknown; source?: string }, source: Source): Scalar {
    const { value } = node;
    if (typeof value === "number")
      return scalar(value, source, !/^[-+]?(\d+|0x[\da-f]+|0o[0-7]+)$/i.test(node.source ?? ""));
    if (typeof value === "bigint") return scalar(Number(value), source);
    if (typeof value === "string" || typeof value === "boolean" || value === null) return scalar(value, source);
    return scalar(String(value), source);
  }

  #key(node: YamlNode | null, resolve: ResolveAlias, map: YamlNode): string {
    const key = node && isAlias(node) ? resolve(node) : node;
    if (!key || !isScalar(key)) throw this.error("A key must be plain text.", offset(node ?? map));
    return typeof key.value === "string" ? key.value : (key.source ?? String(key.value));
  }

  #source(node: YamlNode | null): Source {
    const { line, col } = this.lines.linePos(offset(node));
    return { kind: "file", file: this.file, line: line || 1, column: col || 1 };
  }
}

const offset = (node: YamlNode | null): number => node?.range?.[0] ?? 0;
