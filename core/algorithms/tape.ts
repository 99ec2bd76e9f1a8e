/**
 * Losses evaluated on the host: phase two of the two-phase path, and the definition that fused engines are tested
 * against. Reverse mode over float64 arrays; see `tape-algebra.ts`.
 */
import type { AnyLoss, LossFunction, LossGradients, LossInput, MetricValue, OutputName } from "./algebra.js";
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
    gradients[name] = Float32Array.from(result.gradients[name] as Float64Array);
  }
  return { loss: result.loss, metrics: result.metrics, gradients };
}

/** {@link evaluateLoss} for a loss over the algebra, with gradients in float64. */
export function differentiate(loss: Pick<LossFunction, "build">, input: LossInput): TapeResult {
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
