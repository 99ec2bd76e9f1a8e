import { splitBatch } from "../../core/engine/index.js";
import { milliseconds, summary } from "../figures.js";
import { SHAPES } from "../random-model.js";
import { Trainer } from "./trainer.js";
import { workload } from "./workload.js";

export interface TokensReport {
  readonly model: string;
  readonly threads: number;
  readonly microBatchTokens: number;
  readonly points: readonly { readonly tokens: number; readonly ms: number; readonly usPerToken: number }[];
  /** Of the times per token. */
  readonly worstOverBest: number;
}

const LENGTH = 128;

/** Forward and backward over batches of 1k to 32k tokens, cut into micro-batches under a token budget as a run cuts them. */
export async function measureTokens(
  model: "a" | "b",
  { threads, rounds, microBatchTokens }: { threads: number; rounds: number; microBatchTokens: number },
): Promise<TokensReport> {
  const points: TokensReport["points"][number][] = [];
  const sizes = [1, 2, 4, 8, 16, 32].map((k) => {
    const { batch } = workload(model, SHAPES[model], { sequences: (k * 1024) / LENGTH, length: LENGTH });
    return { tokens: k * 1024, batch };
  });
  const trainer = await Trainer.load(workload(model, SHAPES[model], { sequences: 1, length: LENGTH }), threads);
  try {
    for (const { tokens, batch } of sizes) {
      const parts = splitBatch(batch, { maxTokensPerMicroBatch: microBatchTokens }, "token", trainer.backend);
      const times: number[] = [];
      // The first round warms up.
      for (let round = 0; round <= rounds; round++) {
        const run = () =>
          trainer.run(
            "backward",
            batch,
            parts.map((part) => part.batch),
          );
        const ms = await milliseconds(run);
        if (round > 0) times.push(ms);
      }
      const ms = summary(times).median;
      points.push({ tokens, ms, usPerToken: (ms * 1000) / tokens });
    }
  } finally {
    await trainer.dispose();
  }
  const all = points.map(({ usPerToken }) => usPerToken);
  return { model, threads, microBatchTokens, points, worstOverBest: Math.max(...all) / Math.min(...all) };
}

export function describeTokens({ model, threads, microBatchTokens, points, worstOverBest }: TokensReport): string {
  const threadCount = `${threads} ${threads === 1 ? "thread" : "threads"}`;
  return [
    `\n${model}, ${threadCount}, sequences of ${LENGTH} tokens, micro-batches of ${microBatchTokens}`,
    "  tokens        ms   µs/token",
    ...points.map(
      ({ tokens, ms, usPerToken }) =>
        `  ${String(tokens).padStart(6)} ${ms.toFixed(0).padStart(9)} ${usPerToken.toFixed(1).padStart(10)}`,
    ),
    `  slowest to fastest per token: ${worstOverBest.toFixed(2)}`,
  ].join("\n");
}
