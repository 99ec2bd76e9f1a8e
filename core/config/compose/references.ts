import { isVerlError, type VerlError } from "../../host/errors.js";
import { configErrors } from "../errors.js";
import { parseValue, ValueSyntaxError } from "./override-value.js";
import { pythonText } from "./python-text.js";
import { cutReferences, type Piece, type ReferencePiece, ReferenceSyntaxError } from "./reference-syntax.js";
import {
  type Dict,
  dict,
  type List,
  MAX_TREE_SIZE,
  type Node,
  nodeAt,
  type Path,
  pathText,
  type Scalar,
  scalar,
  sourceText,
} from "./tree.js";

export type Env = Readonly<Record<string, string | undefined>>;

export interface ResolveOptions {
  readonly env: Env;
  /** The value of a key that the tree does not hold but that counts as existing. */
  readonly fallback?: (path: Path) => Node | null;
  /** " Did you mean …?" for a target that does not exist. */
  readonly suggest?: (path: Path) => string;
  /** What stands in place of a value whose references cannot be resolved (null: null); without it that is thrown. */
  readonly instead?: (error: VerlError, path: Path) => Node | null;
}

/** Sections, lists and references on the way to a value. */
const MAX_DEPTH = 250;

const RESOLVERS = ["oc.env", "oc.select", "oc.decode"];

/**
 * Resolves every reference of a composed tree: `${a.b}` (absolute), `${.a}` and `${..a}` (relative to the section that
 * holds it), `${oc.env:NAME,default}`, `${oc.select:a.b,default}`, `${oc.decode:text}`. Alone, a reference keeps the
 * target's type; inside other text it becomes text. Sources of values stay those of the place that refers.
 */
export function resolveReferences(root: Dict, options: ResolveOptions): Dict {
  return new Resolver(root, options).all(root, []) as Dict;
}

class Resolver {
  readonly #done = new Map<Node, Node>();
  /** Values and characters of what is resolved: a value that is referred to twice counts twice. */
  readonly #sizes = new Map<Node, number>();
  readonly #active: { node: Node; key: string }[] = [];
  #replacing = false;

  constructor(
    private readonly root: Dict,
    private readonly options: ResolveOptions,
  ) {}

  all(node: Node, path: Path): Node {
    const known = this.#done.get(node);
    if (known) return known;
    const circle = this.#active.findIndex((entry) => entry.node === node);
    if (circle >= 0) {
      const keys = [...this.#active.slice(circle).map((entry) => entry.key), pathText(path)];
      throw this.#error(node, path, `References run in a circle: ${keys.join(" -> ")}.`);
    }
    if (this.#active.length === MAX_DEPTH) {
      throw this.#error(node, path, `More than ${MAX_DEPTH} references and sections lie on the way to this value.`);
    }
    this.#active.push({ node, key: pathText(path) });
    let result: Node;
    try {
      result = this.#resolve(node, path);
    } finally {
      this.#active.pop();
    }
    this.#checkSize(result, node, path);
    this.#done.set(node, result);
    return result;
  }

  #checkSize(result: Node, node: Node, path: Path): void {
    const size = this.#sizeOf(result);
    if (size > MAX_TREE_SIZE) {
      throw this.#error(node, path, `More than ${MAX_TREE_SIZE} values and characters once references are resolved.`);
    }
    this.#sizes.set(result, size);
  }

  #sizeOf(node: Node): number {
    if (node.kind === "scalar") return 1 + (typeof node.value === "string" ? node.value.length : 0);
    const known = this.#sizes.get(node);
    if (known !== undefined) return known;
    const items = node.kind === "list" ? node.items : [...node.entries.values()];
    return items.reduce((sum, item) => sum + this.#sizeOf(item), 1);
  }

  #resolve(node: Node, path: Path): Node {
    if (node.kind === "scalar") return this.#scalar(node, path);
    if (node.kind === "list") {
      return { ...node, items: node.items.map((item, i) => this.all(item, [...path, String(i)])) } satisfies List;
    }
    return dict(
      node.source,
      [...node.entries].map(([key, item]) => [key, this.all(item, [...path, key])] as const),
    );
  }

  #scalar(node: Scalar, path: Path): Node {
    if (typeof node.value !== "string" || !node.value.includes("${")) return node;
    const { instead } = this.options;
    try {
      return this.#resolved(node, node.value, path);
    } catch (error) {
      if (!instead || !isVerlError(error) || this.#replacing) throw error;
      const other = instead(error, path);
      return { ...(other ? this.#replaced(other, path) : scalar(null, node.source)), source: node.source };
    }
  }

  /** A default may refer to what is wrong itself. */
  #replaced(node: Node, path: Path): Node {
    this.#replacing = true;
    try {
      return this.all(node, path);
    } catch {
      return scalar(null, node.source);
    } finally {
      this.#replacing = false;
    }
  }

  #resolved(node: Scalar, text: string, path: Path): Node {
    let pieces: Piece[];
    try {
      pieces = cutReferences(text);
    } catch (error) {
      if (error instanceof ReferenceSyntaxError) throw this.#error(node, path, error.message);
      throw error;
    }
    const value = this.#value(pieces, node, path);
    return { ...value, source: node.source };
  }

  /** One reference alone keeps its type; everything else is text. */
  #value(pieces: readonly Piece[], at: Scalar, path: Path): Node {
    const [only] = pieces;
    if (pieces.length === 1 && typeof only !== "string") return this.#reference(only, at, path);
    return scalar(this.#text(pieces, at, path), at.source);
  }

  #text(pieces: readonly Piece[], at: Scalar, path: Path): string {
    const texts = pieces.map((piece) =>
      typeof piece === "string" ? piece : pythonText(this.#reference(piece, at, path)),
    );
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    if (length > MAX_TREE_SIZE) {
      throw this.#error(at, path, `More than ${MAX_TREE_SIZE} characters once references are resolved.`);
    }
    return texts.join("");
  }

  #reference(piece: ReferencePiece, at: Scalar, path: Path): Node {
    const name = this.#text(piece.name, at, path).trim();
    if (piece.args) return this.#call(name, piece, at, path);
    const target = this.#target(name, path);
    const found = this.#find(target);
    if (found) return found;
    const blocker = this.#blocker(target);
    if (blocker) {
      const holder = pathText(blocker.path);
      const fix = `Leave ${holder} out, or set keys inside it: ${holder}.NAME=VALUE.`;
      const where = `${holder} (${sourceText(blocker.node.source)})`;
      const what = `${holder} must be a section of keys.`;
      throw configErrors.VERL_CONFIG_TYPE({ what, where, fix, data: { key: holder } });
    }
    const suggestion = this.options.suggest?.(target) ?? "";
    throw this.#error(at, path, `${piece.text} refers to ${pathText(target)}, which does not exist.${suggestion}`);
  }

  #call(name: string, { args, text }: ReferencePiece, at: Scalar, path: Path): Node {
    const values = (args ?? []).map(({ pieces, quoted }) => {
      const value = this.#value(pieces, at, path);
      return quoted || value.kind !== "scalar" || typeof value.value !== "string" ? value : literal(value.value, at);
    });
    const first = values.length > 0 ? pythonText(values[0]) : "";
    const fallback = values[1] ?? null;
    if (!RESOLVERS.includes(name)) {
      throw this.#error(at, path, `${text} uses "${name}"; known are ${RESOLVERS.join(", ")} and plain \${a.b}.`);
    }
    if (values.length > (name === "oc.decode" ? 1 : 2)) throw this.#error(at, path, `${text} has too many arguments.`);

    if (name === "oc.env") {
      const value = this.options.env[first];
      if (value !== undefined) return scalar(value, at.source);
      if (!fallback) {
        throw this.#error(at, path, `The environment variable ${first} is not set, and ${text} gives no default.`);
      }
      return isNull(fallback) ? fallback : scalar(pythonText(fallback), at.source);
    }
    if (name === "oc.select") {
      return this.#find(this.#target(first, path)) ?? fallback ?? scalar(null, at.source);
    }
    if (isNull(values[0])) return values[0];
    try {
      return parseValue(first, at.source);
    } catch (error) {
      if (error instanceof ValueSyntaxError)
        throw this.#error(at, path, `${text} cannot be decoded: ${error.message}.`);
      throw error;
    }
  }

  /** `a[0].b` = `a.0.b`. Leading dots count sections upwards, the first being the one that holds the key. */
  #target(name: string, path: Path): string[] {
    const [, dots, rest] = /^(\.*)(.*)$/s.exec(name) as RegExpExecArray;
    const parts = rest.replaceAll(/\[(\d+)\]/g, ".$1").split(".");
    return dots ? [...path.slice(0, Math.max(0, path.length - dots.length)), ...parts] : parts;
  }

  /** Walks to the target, resolving references on the way: `${a.b}` where `a` is itself a reference. */
  #find(target: Path): Node | null {
    let node: Node = this.root;
    for (const [i, part] of target.entries()) {
      const here = target.slice(0, i);
      if (node.kind === "scalar") node = this.all(node, here);
      const next = nodeAt(node, [part]);
      if (!next) return this.options.fallback?.(target) ?? null;
      node = next;
    }
    return this.all(node, target);
  }

  /** A single value or a list where the way to the target expects a section. */
  #blocker(target: Path): { readonly node: Node; readonly path: Path } | null {
    let node: Node | null = this.root;
    for (let depth = 1; depth < target.length; depth++) {
      node = nodeAt(node, [target[depth - 1]]);
      if (!node) return null;
      const takesKeys = node.kind === "dict" || (node.kind === "list" && /^\d+$/.test(target[depth]));
      const refers = node.kind === "scalar" && typeof node.value === "string" && node.value.includes("${");
      if (!takesKeys && !refers) return { node, path: target.slice(0, depth) };
    }
    return null;
  }

  #error(node: Node, path: Path, what: string, fix?: string): VerlError {
    const where = `${pathText(path)} (${sourceText(node.source)})`;
    return configErrors.VERL_CONFIG_REFERENCE({ what, where, fix, data: { key: pathText(path) } });
  }
}

/** An unquoted argument: null, numbers and switches are read as such, everything else is text. */
function literal(text: string, { source }: Scalar): Node {
  try {
    return parseValue(text, source);
  } catch {
    return scalar(text, source);
  }
}

const isNull = (node: Node): boolean => node.kind === "scalar" && node.value === null;
