import { shown } from "../../host/util/shown.js";
import { tokenizerErrors } from "../tokenizer-errors.js";

/** Beyond any vocabulary; keeps a wrong file from asking for gigabytes. */
const MAX_ID = 2 ** 24 - 1;

/** Deeper values than any tokenizer needs would exhaust the stack. */
const MAX_DEPTH = 64;

/** Where a value stands: in a file, or under a key of another value. */
type Place = { readonly file: string } | { readonly parent: JsonNode; readonly key: string | number };

/** A value inside `tokenizer.json` or its configuration, with its place; readers refuse what is not of the type asked for. */
export class JsonNode {
  private readonly depth: number;

  private constructor(
    readonly value: unknown,
    private readonly place: Place,
  ) {
    this.depth = "file" in place ? 0 : place.parent.depth + 1;
    if (this.depth > MAX_DEPTH) throw this.invalid(`values are nested more than ${MAX_DEPTH} deep`);
  }

  static root(value: unknown, file = "tokenizer.json"): JsonNode {
    return new JsonNode(value, { file });
  }

  get isNull(): boolean {
    return this.value === null || this.value === undefined;
  }

  get isList(): boolean {
    return Array.isArray(this.value);
  }

  /** Such as `pre_tokenizer.pretokenizers[1].pattern`. */
  get path(): string {
    if ("file" in this.place) return "";
    const { parent, key } = this.place;
    const before = parent.path;
    if (typeof key === "string" && /^\w+$/.test(key)) return before === "" ? key : `${before}.${key}`;
    return `${before}[${JSON.stringify(key)}]`;
  }

  at(key: string): JsonNode {
    return new JsonNode(this.has(key) ? (this.value as Record<string, unknown>)[key] : undefined, {
      parent: this,
      key,
    });
  }

  has(key: string): boolean {
    return this.isObject && Object.hasOwn(this.value as object, key);
  }

  /** The field that tells which component an object describes. */
  type(): string {
    return this.object().at("type").text();
  }

  text(): string {
    if (typeof this.value !== "string") throw this.wrong("a text");
    return this.value;
  }

  /** One Unicode character. */
  character(): string {
    const text = this.text();
    if ([...text].length !== 1) throw this.wrong("one character");
    return text;
  }

  boolean(): boolean {
    if (typeof this.value !== "boolean") throw this.wrong("true or false");
    return this.value;
  }

  number(): number {
    if (typeof this.value !== "number" || !Number.isFinite(this.value)) throw this.wrong("a number");
    return this.value;
  }

  count(): number {
    if (!Number.isSafeInteger(this.value) || (this.value as number) < 0) throw this.wrong("a whole number from 0");
    return this.value as number;
  }

  id(): number {
    const id = this.value;
    if (!Number.isInteger(id) || (id as number) < 0 || (id as number) > MAX_ID) {
      throw this.wrong(`a token id, a whole number from 0 to ${MAX_ID}`);
    }
    return id as number;
  }

  oneOf<T extends string>(choices: readonly T[]): T {
    const found = choices.find((choice) => choice === this.value);
    if (found === undefined) throw this.wrong(`one of ${choices.join(", ")}`);
    return found;
  }

  object(): this {
    if (!this.isObject || this.isList) throw this.wrong("an object");
    return this;
  }

  items(): JsonNode[] {
    if (!Array.isArray(this.value)) throw this.wrong("a list");
    return this.value.map((item, key) => new JsonNode(item, { parent: this, key }));
  }

  entries(): [string, JsonNode][] {
    const { value } = this.object();
    return Object.entries(value as object).map(([key, item]) => [key, new JsonNode(item, { parent: this, key })]);
  }

  /** Null or absent gives the fallback. */
  or<T, F>(fallback: F, read: (node: this) => T): T | F {
    return this.isNull ? fallback : read(this);
  }

  /** An error about this value. */
  invalid(what: string, cause?: unknown): Error {
    return tokenizerErrors.VERL_DATA_TOKENIZER_INVALID({
      what: `${this.file}: ${what}`,
      where: this.path || undefined,
      cause,
    });
  }

  private get file(): string {
    return "file" in this.place ? this.place.file : this.place.parent.file;
  }

  private get isObject(): boolean {
    return typeof this.value === "object" && this.value !== null;
  }

  private wrong(wanted: string): Error {
    const { value } = this;
    const found = value === undefined ? "is missing" : `is ${shown(value)}`;
    return this.invalid(`${this.path || "the whole"} must be ${wanted}, and ${found}`);
  }
}
