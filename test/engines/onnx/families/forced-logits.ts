import type { ModelConfig } from "../../../../core/formats/index.js";
import type { NamedTensor } from "../../../../core/plugin.js";
import { decodeGraph } from "../../../../engines/onnx/rollout/decode-graph.js";
import { plainAttention } from "../../../../engines/onnx/rollout/plain-attention.js";
import { PlainRunner } from "../../../../engines/onnx/rollout/plain-runner.js";
import { sharedCacheAttention } from "../../../../engines/onnx/rollout/shared-cache-attention.js";
import { SharedCacheRunner } from "../../../../engines/onnx/rollout/shared-cache-runner.js";
import { drainWeights } from "../../../../engines/onnx/rollout/weights.js";
import { openOrtRuntime } from "../../../../engines/onnx/runtime/index.js";
import { streamOf } from "../rollout/tiny-model.js";

/** Of the cache: longer than the sequences, and so long that layers with a window do not keep all of it. */
const LENGTH = 128;

/** Logits after the prompt and after each further token, [tokens + 1, vocab], from the graph that decodes with a cache. */
export async function forcedLogits(
  config: ModelConfig,
  tensors: readonly NamedTensor[],
  attention: "shared" | "plain",
  prompt: readonly number[],
  tokens: readonly number[],
  /** Tokens of the prompt that are computed at once. */
  maxPiece = 32,
): Promise<Float32Array> {
  const runtime = await openOrtRuntime();
  const build = attention === "shared" ? sharedCacheAttention : plainAttention;
  const weights = await drainWeights(config, streamOf(tensors));
  const externalInitializers = Object.fromEntries(
    [...weights].map(([name, { dtype, shape, data }]) => [name, runtime.tensor(dtype, shape, data)]),
  );
  const graph = decodeGraph(config, build(config, LENGTH));
  const session = await runtime.createSession(graph, { threads: 1, externalInitializers });
  const loaded = () => ({ session, version: 0 });
  const runner =
    attention === "shared"
      ? new SharedCacheRunner(runtime, config, 2, LENGTH, maxPiece, 1, loaded)
      : new PlainRunner(runtime, config, 2, LENGTH, 1, maxPiece, loaded);
  const rows: number[] = [];
  rows.push(...(await runner.prefill(0, [prompt])).row(0));
  for (const [i, token] of tokens.entries()) {
    rows.push(...(await runner.decode([token], [prompt.length + i])).row(0));
  }
  runner.release();
  await session.release();
  return Float32Array.from(rows);
}
