import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseAllDocuments,
  visit,
  type Node as YamlNode,
  type Scalar as YamlScalar,
} from "yaml";
import { configErrors } from "../errors.js";
import { type Dict, dict, MAX_TREE_DEPTH, MAX_TREE_SIZE, type Node, type Scalar, type Source, scalar } from "./tree.js";

/** Characters of a file; the longest configurations in use have a tenth of it. */
const MAX_LENGTH = 2 ** 19;
/** What the lexer finds; each piece takes the library about half a kilobyte. */
const MAX_PIECES = 50_000;
/** Values after aliases are expanded: no sensible configuration comes near, a bomb of aliases does. */
const MAX_VALUES = 100_000;

/** As {@link readYaml}, for a document whose top is a mapping; nothing at all is an empty one. */
export function parseYaml(text: string, file: string): Dict {
  const node = readYaml(text, file);
  if (node.kind === "dict") return node;
  if (node.kind === "scalar" && node.value === null) return dict(node.source);
  throw syntaxError("A configuration must be a mapping of keys to values.", file, { line: 1, col: 1 });
}

/**
 * Reads one YAML 1.2 document (core schema: `1e-6` is a number, `010` is ten, `yes` and `12:30` are texts). Every value
 * keeps its line and column. Duplicate keys, unknown tags, circular aliases, alias bombs, and what is too long or too deep
 * are `VERL_CONFIG_SYNTAX`.
 */
export function readYaml(text: string, file: string): Node {
  if (text.length > MAX_LENGTH) {
    throw syntaxError(`The file has more than ${MAX_LENGTH} characters.`, file, { line: 1, col: 1 });
  }
  let pieces = 0;
  for (const _ of new Lexer().lex(text)) {
    if (++pieces > MAX_PIECES) {
      throw syntaxError(`The file has more than ${MAX_PIECES} names, values and marks.`, file, { line: 1, col: 1 });
    }
  }
  try {
    return readDocument(text, file);
  } catch (error) {
    // The library goes down into values before their depth can be looked at here.
    if (!(error instanceof RangeError)) throw error;
    throw syntaxError(`Nested deeper than ${MAX_TREE_DEPTH} levels.`, file, { line: 1, col: 1 });
  }
}

function readDocument(text: string, file: string): Node {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: "1.2",
    schema: "core",
    merge: false,
    // Looked for below: the library compares every key with every other.
    uniqueKeys: false,
    strict: true,
    prettyErrors: false,
    lineCounter: lines,
  });
  if (documents.length === 0) return scalar(null, { kind: "file", file, line: 1, column: 1 });

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
  return reader.read(document.contents as YamlNode | null, (alias) => targets.get(alias) ?? null, 0);
}

function syntaxError(what: string, file: string, { line, col }: { readonly line: number; readonly col: number }) {
  return configErrors.VERL_CONFIG_SYNTAX({
    what: /[.!?]$/.test(what) ? what : `${what}.`,
    where: `${file}:${line}:${col}`,
    data: { file, line, column: col },
  });
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
  #values = 0;
  #characters = 0;

  constructor(
    private readonly file: string,
    private readonly lines: LineCounter,
  ) {}

  read(node: YamlNode | null, resolve: ResolveAlias, depth: number): Node {
    const source = this.#source(node);
    if (++this.#values > MAX_VALUES)
      throw this.error(`More than ${MAX_VALUES} values after aliases are expanded.`, offset(node));
    if (depth > MAX_TREE_DEPTH) throw this.error(`Nested deeper than ${MAX_TREE_DEPTH} levels.`, offset(node));
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
    return syntaxError(what, this.file, { line: line || 1, col: col || 1 });
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

  #scalar(node: YamlScalar, source: Source): Scalar {
    const { value } = node;
    if (typeof value === "string") this.#characters += value.length;
    if (this.#characters > MAX_TREE_SIZE) {
      throw this.error(`More than ${MAX_TREE_SIZE} characters after aliases are expanded.`, offset(node));
    }
    if (Math.abs(Number(value)) === Number.POSITIVE_INFINITY && /^[-+]?\d+$/.test(node.source ?? "")) {
      throw this.error("An integer of more digits than a number can hold.", offset(node));
    }
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
