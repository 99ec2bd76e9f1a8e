/** From golden cases to the loss algebra and back: rows of equal width are ragged rows of that length. */
import type { LossAggMode, PolicyLossConfig } from "../../../core/algorithms/advantage.js";
import type {
  AnyLoss,
  GlobalCounts,
  LossAlgebra,
  LossFunction,
  LossGradients,
  LossInput,
  MetricReduction,
  OutputName,
  Value,
} from "../../../core/algorithms/algebra.js";
import { countsOf } from "../../../core/algorithms/counts.js";
import { differentiate, type TapeResult } from "../../../core/algorithms/tape.js";
import { type GoldenCase, rowOffsets, type Tensor } from "../case.js";

export interface LossShape {
  /** Model outputs by name, from inputs. */
  readonly outputs: Partial<Record<OutputName, Tensor>>;
  readonly columns?: Readonly<Record<string, Tensor | undefined>>;
  readonly mask: Tensor;
  readonly counts?: Partial<GlobalCounts>;
}

export function lossInput({ outputs, columns = {}, mask, counts }: LossShape): LossInput {
  const batch = { responseOffsets: rowOffsets(mask), responseMask: mask.data };
  const given = Object.entries(columns).flatMap(([name, tensor]) =>
    tensor ? [[name, { extent: "token" as const, data: tensor.data }] as const] : [],
  );
  return {
    outputs: Object.fromEntries(Object.entries(outputs).map(([name, tensor]) => [name, tensor?.data])),
    columns: new Map(given),
    ...batch,
    counts: countsOf(batch, counts),
  };
}

/** The gradient must come through the algebra: every golden loss runs here. */
export function runLoss(loss: Pick<LossFunction, "build">, shape: LossShape): TapeResult {
  return differentiate(loss, lossInput(shape));
}

/** The same for any loss; an opaque one computes its own gradients, in float32. */
export function runAny(loss: AnyLoss, shape: LossShape): TapeResult | LossGradients {
  return loss.kind === "algebra" ? runLoss(loss, shape) : loss.compute(lossInput(shape));
}

/** Σ upstream · value, differentiated. */
export function runValue(build: (g: LossAlgebra) => Value, upstream: Tensor, shape: LossShape): TapeResult {
  return runLoss(
    { build: (g) => ({ loss: g.sum(g.mul(build(g), g.column("upstream"))), metrics: {} }) },
    { ...shape, columns: { ...shape.columns, upstream } },
  );
}

/** Global counts as the vectors give them; absent and null mean "local". */
export function countsFrom(info: Record<string, unknown>, mode: string): Partial<GlobalCounts> {
  const read = (key: string) => (typeof info[key] === "number" ? (info[key] as number) : undefined);
  const dpSize = read("dp_size") ?? 1;
  // With several ranks only the count that the mode reads has to be given.
  const unread = (reads: boolean) => (dpSize > 1 && !reads ? 1 : undefined);
  return {
    dpSize,
    batchNumTokens: read("batch_num_tokens") ?? unread(mode === "token-mean"),
    globalBatchSize: read("global_batch_size") ?? unread(mode.startsWith("seq-")),
    lossScaleFactor: read("loss_scale_factor"),
  };
}

/** Metric values by name, as plain numbers. */
export function metricValues(result: Pick<TapeResult, "metrics">): Record<string, number> {
  return Object.fromEntries(Object.entries(result.metrics).map(([name, { value }]) => [name, value]));
}

/** The reference sums partial values when any global count is set, else it averages. */
export function reductionOf(...given: unknown[]): MetricReduction {
  return given.some((x) => x !== null && x !== undefined && x !== 1) ? "sum" : "mean";
}

const withRule = (result: Pick<TapeResult, "metrics">) =>
  Object.fromEntries(
    Object.entries(result.metrics).map(([name, m]) => [name, { aggregation: m.reduction, value: m.value }]),
  );

/** Metrics as the case writes them: with their rule, or plain. */
export function metricsOf(c: GoldenCase, result: Pick<TapeResult, "metrics">) {
  const [ruled, plain] = [withRule(result), metricValues(result)];
  return Object.fromEntries(
    Object.entries(c.metrics).map(([name, expected]) => [
      name,
      typeof expected === "object" ? ruled[name] : plain[name],
    ]),
  );
}

/** The actor's settings from a case's `config`, over the defaults. An explicit null falls back to `clip_ratio`. */
export function policyConfig(c: GoldenCase, config: Record<string, unknown>): PolicyLossConfig {
  const { policy_loss: policy, ...own } = config as { policy_loss?: Record<string, unknown>; [key: string]: unknown };
  const number = (key: string, fallback: number) => (typeof own[key] === "number" ? own[key] : fallback);
  const bound = (key: string) => (key in own ? number(key, number("clip_ratio", 0.2)) : 0.2);
  return {
    clipRatioLow: bound("clip_ratio_low"),
    clipRatioHigh: bound("clip_ratio_high"),
    clipRatioC: number("clip_ratio_c", 3),
    lossAggMode: c.param("loss_agg_mode", (own.loss_agg_mode ?? "token-mean") as LossAggMode),
    hasRolloutIsWeights: c.optionalData("rollout_is_weights") !== undefined,
    // The reference's average over rows.
    extra: { ...own, ...policy, geo_mean_average: "rows" },
  };
}
