import type { JsonValue, Sandbox } from "../../../../core/plugin.js";
import type { Scorer } from "../../../../core/reward/index.js";
import { createFakeSandbox } from "../../../../testing/index.js";

export interface Scored {
  readonly score: number;
  readonly acc: number | boolean;
  readonly pred: string | null;
  readonly format: number;
  readonly answer: number;
}

/** Score one text with a scorer; null where it abstains. */
export async function scoreWith(
  scorer: Scorer,
  solution: string,
  groundTruth: JsonValue,
  options: {
    readonly kwargs?: Record<string, unknown>;
    readonly extraInfo?: Record<string, unknown>;
    readonly sandbox?: Sandbox;
  } = {},
): Promise<Scored | null> {
  const result = await scorer.score({
    dataSource: "test",
    solution,
    groundTruth,
    media: [],
    extraInfo: options.extraInfo ?? {},
    signal: new AbortController().signal,
    kwargs: options.kwargs ?? {},
    judge: null,
    sandbox: async () => options.sandbox ?? createFakeSandbox(),
  });
  return result as Scored | null;
}
