import type { ConformanceCase } from "../../testing/index.js";

/** Names of the cases that fail. */
export async function failing(cases: readonly ConformanceCase[]): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of cases) await run().catch(() => failed.push(name));
  return failed;
}
