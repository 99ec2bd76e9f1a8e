/**
 * Coded errors: everything a user can meet has a stable code and says what happened, where, why, and how to fix it.
 * Each room declares its codes with `defineErrors`; `core/error-table.ts` gathers them for the reference page and
 * `verl explain`.
 */

export type ErrorCode = `VERL_${string}`;

/** One row of the error table. */
export interface ErrorEntry {
  /** What the code means, in one line, independent of a particular occurrence. */
  readonly summary: string;
  /** What a user usually does about it. */
  readonly fix?: string;
}

/** The parts of an error card. Each is plain text without a trailing full stop being required. */
export interface ErrorDetails {
  /** What happened, with the concrete names and values. */
  readonly what: string;
  /** File, line, key, plugin, tensor: the place. */
  readonly where?: string;
  /** The reason, when it is known and not obvious. */
  readonly why?: string;
  /** The next step for the user; falls back to the table's text. */
  readonly fix?: string;
  readonly cause?: unknown;
  /** What else went wrong while things were being ended because of it, a line each. */
  readonly also?: readonly string[];
  /** Machine-readable details for `--json`. */
  readonly data?: Readonly<Record<string, unknown>>;
}

const brand = Symbol.for("verl.error");

/** An error with a code from the error table. Recognise it with {@link isVerlError}, never with `instanceof`. */
export class VerlError extends Error {
  readonly code: ErrorCode;
  readonly what: string;
  readonly where?: string;
  readonly why?: string;
  readonly fix?: string;
  readonly also?: readonly string[];
  readonly data?: Readonly<Record<string, unknown>>;
  readonly [brand] = true;

  constructor(code: ErrorCode, details: ErrorDetails) {
    const parts = {
      what: shortened(details.what),
      where: details.where && shortened(details.where),
      why: details.why && shortened(details.why),
      fix: details.fix && shortened(details.fix),
    };
    super(
      messageOf(code, { ...parts, also: details.also }),
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.name = "VerlError";
    this.code = code;
    this.what = parts.what;
    this.where = parts.where;
    this.why = parts.why;
    this.fix = parts.fix;
    this.also = details.also;
    this.data = details.data;
  }

  toJSON(): Record<string, unknown> {
    const { code, what, where, why, fix, also, data } = this;
    return { code, what, where, why, fix, ...(also ? { also } : {}), ...(data ? { data } : {}) };
  }
}

/** Text from outside may be of any length, and a message is read by people. */
const MAX_PART = 10_000;

function shortened(text: string): string {
  return text.length <= MAX_PART ? text : `${text.slice(0, MAX_PART)}… (${text.length - MAX_PART} more characters)`;
}

/** The same error, which also says what broke while things were being ended because of it. */
export function withConsequence(error: VerlError, consequence: string): VerlError {
  const { code, what, where, why, fix, data, cause, also = [] } = error;
  return new VerlError(code, { what, where, why, fix, data, cause, also: [...also, shortened(consequence)] });
}

/** True for a coded error of this or of another copy of the package. */
export function isVerlError(error: unknown): error is VerlError {
  try {
    return typeof error === "object" && error !== null && (error as Record<symbol, unknown>)[brand] === true;
  } catch {
    // A proxy that refuses.
    return false;
  }
}

export type ErrorTable = Readonly<Record<ErrorCode, ErrorEntry>>;

/** A typed factory for one room's codes: `const errors = defineErrors({...}); throw errors.VERL_X({ what })`. */
export type ErrorFactory<T extends ErrorTable> = { readonly [K in keyof T]: (details: ErrorDetails) => VerlError } & {
  readonly table: T;
};

/** Keys that are no codes are refused: an open index signature alone would let them pass. */
type OnlyCodes<T> = { readonly [K in keyof T]: K extends ErrorCode ? ErrorEntry : never };

export function defineErrors<const T extends ErrorTable>(table: T & OnlyCodes<T>): ErrorFactory<T> {
  const factory: Record<string, unknown> = { table };
  for (const [code, entry] of Object.entries<ErrorEntry>(table)) {
    factory[code] = (details: ErrorDetails) => new VerlError(code as ErrorCode, { fix: entry.fix, ...details });
  }
  return factory as ErrorFactory<T>;
}

/** The text of anything thrown, for use as the `why` of a wrapping error. Never throws itself, whatever was thrown. */
export function reasonOf(error: unknown): string {
  try {
    return shortened(textOf(error));
  } catch {
    return "something was thrown that cannot be printed";
  }
}

/** `instanceof` for what user code has thrown: a proxy may refuse to be looked at. */
export function isA<T>(value: unknown, kind: new (...args: never[]) => T): value is T {
  try {
    return value instanceof kind;
  } catch {
    return false;
  }
}

function textOf(error: unknown): string {
  if (error instanceof Error) {
    const message: unknown = error.message;
    return message === "" ? error.name : String(message);
  }
  if (typeof error !== "object" || error === null) return String(error);
  const own = String((error as { readonly message?: unknown }).message ?? "");
  return own === "" ? (JSON.stringify(error) ?? String(error)) : own;
}

function messageOf(code: ErrorCode, { what, where, why, fix, also }: ErrorDetails): string {
  const lines = [`${code}: ${what}`];
  if (where) lines.push(`  where: ${hanging(where)}`);
  if (why) lines.push(`  why:   ${hanging(why)}`);
  if (fix) lines.push(`  fix:   ${hanging(fix)}`);
  for (const line of also ?? []) lines.push(`  also:  ${hanging(line)}`);
  return lines.join("\n");
}

/** Further lines of a part of an error stand below its first one, and are not taken for parts of their own. */
export const hanging = (text: string): string => text.replaceAll("\n", "\n         ");
