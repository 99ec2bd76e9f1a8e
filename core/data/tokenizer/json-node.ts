import { tokenizerErrors } from "../tokenizer-errors.js";

/** Beyond any vocabulary; keeps a wrong file from asking for gigabytes. */
const MAX_ID = 2 ** 24 - 1;

/** A value inside `tokenizer.json` (or its configuration) with its place, for messages; readers refuse what is not of the type asked for. */
export class JsonNode {
  constructor(
    readonly value: unknown,
    /** Such as `pre_tokenizer.pretokenizers[1].pattern`. */
    readonly path: string,
    private readonly file = "tokenizer.json",
  ) {}

  get isNull(): boolean {
    return this.value === null || this.value === undefined;
  }

  get isList(): boolean {
    return Array.isArray(this.value);
  }

  at(key: string | number): JsonNode {
    const path = typeof key === "number" ? `${this.path}[${key}]` : this.path === "" ? key : `${this.path}.${key}`;
    const inside = this.isObject ? (this.value as Record<string, unknown>) : {};
    return this.inside(Object.hasOwn(inside, key) ? inside[key] : undefined, path);
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

  object(): JsonNode {
    if (!this.isObject || this.isList) throw this.wrong("an object");
    return this;
  }

  items(): JsonNode[] {
    if (!Array.isArray(this.value)) throw this.wrong("a list");
    return this.value.map((item, i) => this.inside(item, `${this.path}[${i}]`));
  }

  entries(): [string, JsonNode][] {
    const place = (key: string) => `${this.path}[${JSON.stringify(key)}]`;
    return Object.entries(this.object().value as object).map(([key, value]) => [key, this.inside(value, place(key))]);
  }

  /** Null or absent gives the fallback. */
  or<T, F>(fallback: F, read: (node: this) => T): T | F {
    return this.isNull ? fallback : read(this);
  }

  invalid(what: string, cause?: unknown): Error {
    return tokenizerErrors.VERL_DATA_TOKENIZER_INVALID({
      what: `${this.file}: ${what}`,
      where: this.path || undefined,
      cause,
    });
  }

  private inside(value: unknown, path: string): JsonNode {
    return new JsonNode(value, path, this.file);
  }

  private get isObject(): boolean {
    return typeof this.value === "object" && this.value !== null;
  }

  private wrong(wanted: string): Error {
    const { value } = this;
    const found = value === undefined ? "missing" : JSON.stringify(value).slice(0, 60);
    return this.invalid(`${this.path || "the whole"} must be ${wanted}, and is ${found}`);
  }
}
