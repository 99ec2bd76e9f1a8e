/**
 * Losses evaluated on the host: phase two of the two-phase path, and the definition that fused engines are tested
 * against. Reverse mode over float64 arrays; see `tape-algebra.ts`.
 */
import {
  type AnyLoss,
  type LossAlgebra,
  type LossFunction,
  type LossGradients,
  type LossInput,
  type MetricValue,
  type OutputName,
  outputExtent,
  type Value,
} from "./algebra.js";
import { combineMetrics } from "./combine-metrics.js";
import { lossBlocks } from "./loss-blocks.js";
import { Tape } from "./tape-algebra.js";

/** Loss, metrics and gradients of an eager evaluation, gradients in the precision in which they were computed. */
export interface TapeResult {
  readonly loss: number;
  readonly metrics: Readonly<Record<string, MetricValue>>;
  readonly gradients: Readonly<Partial<Record<OutputName, Float64Array>>>;
}

/** Loss, metrics and ∂loss/∂output of one micro-batch; opaque losses compute their own. */
export function evaluateLoss(loss: AnyLoss, input: LossInput): LossGradients {
  if (loss.kind === "opaque") return loss.compute(input);
  const result = differentiate(loss, input);
  const gradients: Partial<Record<OutputName, Float32Array>> = {};
  for (const name of Object.keys(result.gradients) as OutputName[]) {
    gradients[name] = new Float32Array(result.gradients[name] as Float64Array);
  }
  return { loss: result.loss, metrics: result.metrics, gradients };
}

/**
 * {@link evaluateLoss} for a loss over the algebra, with gradients in float64. Without a scope its statistics may range
 * over the whole batch.
 */
export function differentiate(
  loss: Pick<LossFunction, "build"> & Partial<Pick<LossFunction, "scope">>,
  input: LossInput,
): TapeResult {
  const blocks = lossBlocks(input, loss.scope ?? "miniBatch");
  if (blocks.length === 1) return onTape(loss, input);
  const gradients: Partial<Record<OutputName, Float64Array>> = {};
  const metrics: TapeResult["metrics"][] = [];
  let total = 0;
  for (const block of blocks) {
    const part = onTape(loss, block.input);
    total += part.loss;
    metrics.push(part.metrics);
    for (const name of Object.keys(part.gradients) as OutputName[]) {
      gradients[name] ??= new Float64Array(input.outputs[name]?.length ?? 0);
      gradients[name].set(part.gradients[name] as Float64Array, block.first[outputExtent(name)]);
    }
  }
  return { loss: total, metrics: combineMetrics(metrics), gradients };
}

/** A value per token outside of any loss, [R], from constant columns. */
export function tokenValues(
  build: (g: LossAlgebra) => Value,
  columns: Readonly<Record<string, ArrayLike<number>>>,
  { responseMask, responseOffsets }: Pick<LossInput, "responseMask" | "responseOffsets">,
): Float64Array {
  const given = Object.entries(columns).map(([name, data]) => [name, { extent: "token" as const, data }] as const);
  const counts = { batchNumTokens: 0, globalBatchSize: 0, lossScaleFactor: 1, dpSize: 1 };
  const tape = new Tape({ outputs: {}, columns: new Map(given), responseMask, responseOffsets, counts });
  return tape.valuesOf(build(tape));
}

function onTape(loss: Pick<LossFunction, "build">, input: LossInput): TapeResult {
  const tape = new Tape(input);
  const terms = loss.build(tape);
  const total = tape.scalar(terms.loss, "loss");
  let weight = 0;
  for (let r = 0; r < input.responseMask.length; r++) if (input.responseMask[r]) weight++;
  const metrics: Record<string, MetricValue> = {};
  for (const [name, { value, reduction }] of Object.entries(terms.metrics)) {
    const extreme = value.extent === "token" && (reduction === "min" || reduction === "max");
    metrics[name] = { value: extreme ? tape.extreme(value, reduction) : tape.scalar(value, name), reduction, weight };
  }
  return { loss: total, metrics, gradients: tape.backward(terms.loss) };
}
