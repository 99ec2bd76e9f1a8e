/** One named check of a conformance suite. Independent of any test framework. */
export interface ConformanceCase {
  readonly name: string;
  run(): Promise<void>;
}

/** Minimal shapes of `describe` and `it`, as in mocha, vitest, jest and node:test. */
export interface TestFramework {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/** Hand a suite to a test framework: `runConformance("my engine", cases, { describe, it })`. */
export function runConformance(name: string, cases: readonly ConformanceCase[], framework: TestFramework): void {
  framework.describe(name, () => {
    for (const c of cases) framework.it(c.name, () => c.run());
  });
}
