import { nearestName } from "../host/util/nearest.js";
import { shown } from "../host/util/shown.js";
import { formatErrors } from "./errors.js";

/** Largest value of any size; far above real models, low enough that derived counts stay exact. */
const MAX_COUNT = 2 ** 24;
/** Largest number of things that are listed one by one: layers, dimensions of a head. */
const MAX_PARTS = 2 ** 14;

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads a `config.json` key by key. It remembers which keys were asked for, so that the rest can be judged, and which
 * values were found or assumed, so that an export can state them.
 */
export class ConfigReader {
  private readonly asked = new Set<string>();
  private readonly found: Record<string, unknown> = {};

  constructor(
    readonly raw: JsonObject,
    /** The file; undefined where the values stand in the configuration of a run. */
    private readonly where: string | undefined,
    /** Prefix of keys in messages. */
    private readonly path = "",
  ) {}

  /** The value as it stands, undefined where there is none. */
  value(key: string): unknown {
    this.asked.add(key);
    return this.raw[key];
  }

  /** A positive integer. `fallback` stands for a missing key, and for null unless `ifNull` does. */
  count(key: string, fallback?: number, ifNull = fallback, most = MAX_COUNT): number {
    const value = this.value(key);
    const chosen = value === undefined ? fallback : (value ?? ifNull);
    if (chosen === undefined) throw this.#missing(key);
    if (!Number.isInteger(chosen) || (chosen as number) < 1 || (chosen as number) > most) {
      throw this.wrong(key, chosen, `an integer from 1 to ${most}`);
    }
    return this.keep(key, chosen as number);
  }

  /** As {@link count}, for what is listed one by one. */
  parts(key: string, fallback?: number, ifNull = fallback): number {
    return this.count(key, fallback, ifNull, MAX_PARTS);
  }

  /** An integer, 0 included. */
  natural(key: string, fallback: number): number {
    const value = this.value(key) ?? fallback;
    if (value === 0) return this.keep(key, 0);
    return this.count(key, fallback);
  }

  /** A positive integer, or null; `fallback` stands for a missing key. */
  optionalCount(key: string, fallback: number | null = null): number | null {
    const value = this.value(key);
    if ((value === undefined ? fallback : value) === null) return null;
    return this.count(key, fallback ?? undefined);
  }

  positive(key: string, fallback?: number): number {
    const value = this.value(key) ?? fallback;
    if (value === undefined) throw this.#missing(key);
    if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) {
      throw this.wrong(key, value, "a positive number");
    }
    return this.keep(key, value);
  }

  /** A positive number, or null; `fallback` stands for a missing key. */
  optionalPositive(key: string, fallback: number | null = null): number | null {
    const value = this.value(key);
    if ((value === undefined ? fallback : value) === null) return null;
    return this.positive(key, fallback ?? undefined);
  }

  flag(key: string, fallback: boolean): boolean {
    const value = this.value(key) ?? fallback;
    if (typeof value !== "boolean") throw this.wrong(key, value, "true or false");
    return this.keep(key, value);
  }

  /** What the named value stands for. */
  choice<T>(key: string, choices: Readonly<Record<string, T>>, fallback: string): T {
    const value = this.value(key) ?? fallback;
    if (typeof value !== "string" || !Object.hasOwn(choices, value)) {
      throw this.unsupported(key, value, Object.keys(choices));
    }
    this.keep(key, value);
    return choices[value];
  }

  /** The names in a list of known length. */
  choices<T>(key: string, choices: Readonly<Record<string, T>>, length: number): T[] | null {
    const value = this.value(key) ?? null;
    if (value === null) return null;
    if (!Array.isArray(value) || value.length !== length) throw this.wrong(key, value, `a list of ${length} names`);
    return value.map((name) => {
      if (typeof name === "string" && Object.hasOwn(choices, name)) return choices[name];
      throw this.unsupported(key, name, Object.keys(choices));
    });
  }

  /** Positive numbers. */
  positives(key: string, length: number): number[] {
    const value = this.value(key);
    const isFine = (x: unknown) => typeof x === "number" && Number.isFinite(x) && x > 0;
    if (!Array.isArray(value) || value.length !== length || !value.every(isFine)) {
      throw this.wrong(key, value, `a list of ${length} positive numbers`);
    }
    return value;
  }

  /** A reader of an object inside; of an empty one where there is none. */
  object(key: string): ConfigReader {
    const value = this.value(key) ?? {};
    if (typeof value !== "object" || Array.isArray(value)) throw this.wrong(key, value, "an object");
    return new ConfigReader(value as JsonObject, this.where, `${this.path}${key}.`);
  }

  /** State a value in exports beside those that were read. */
  keep<T>(key: string, value: T): T {
    this.found[key] = value;
    return value;
  }

  /** The keys that were asked for. */
  get members(): readonly string[] {
    return [...this.asked];
  }

  wasAsked(key: string): boolean {
    return this.asked.has(key);
  }

  /** The content with the values that were assumed. */
  completed(): Record<string, unknown> {
    return { ...this.raw, ...this.found };
  }

  invalid(what: string, key?: string): Error {
    const { where } = this;
    const fix = where === undefined ? { fix: "correct it where the run's configuration describes the model" } : {};
    return formatErrors.VERL_FORMATS_CONFIG_INVALID({ what, where, ...fix, ...this.#at(key) });
  }

  #missing(key: string): Error {
    const near = nearestName(
      key,
      Object.keys(this.raw).filter((name) => !this.asked.has(name)),
    );
    return this.invalid(`${this.path}${key} is missing${near === null ? "" : `; there is a ${near}`}`, key);
  }

  /** The key for who knows where the values come from. */
  #at(key: string | undefined): { readonly data?: { readonly member: string } } {
    return key === undefined ? {} : { data: { member: `${this.path}${key}` } };
  }

  wrong(key: string, value: unknown, expected: string): Error {
    return this.invalid(`${this.path}${key} is ${shown(value)}, expected ${expected}`, key);
  }

  /** A value that is fine in itself and that this project cannot compute. */
  unsupported(key: string, value: unknown, supported: readonly string[]): Error {
    return this.refused(key, value, { why: supported.length > 0 ? `supported: ${supported.join(", ")}` : undefined });
  }

  /** As {@link unsupported}, where a list of values would not say what to do. */
  refused(key: string, value: unknown, details: { readonly why?: string; readonly fix?: string }): Error {
    return formatErrors.VERL_FORMATS_MODEL_UNSUPPORTED({
      what: `this model has ${this.path}${key} ${shown(value ?? null)}, which is not supported`,
      where: this.where,
      ...details,
      ...this.#at(key),
    });
  }
}
