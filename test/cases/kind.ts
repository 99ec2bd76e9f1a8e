/** One kind of conformance case. */
export interface CaseKind {
  readonly name: string;
  /** Input fields; any other field of a case is a failure. */
  readonly fields: readonly string[];
  /** Fields of `expect`. */
  readonly expectFields: readonly string[];
  /**
   * Runs one case and returns what differs from the expectation, or null. What it throws is a failure, too. `line` is the
   * case as written, for kinds that need JSON without loss.
   */
  run(input: CaseInput, line: string): Promise<Mismatch | null> | Mismatch | null;
}

export interface CaseInput {
  readonly id: string;
  readonly kind: string;
  readonly expect: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface Mismatch {
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Null when both are equal by value: numbers by value, keys in any order. */
export function compare(expected: unknown, actual: unknown): Mismatch | null {
  return sameValue(expected, actual) ? null : { expected, actual };
}

export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(b, key) && sameValue((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  );
}

/** Runs something that is expected to throw. */
export function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return null;
}
