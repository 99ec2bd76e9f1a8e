/**
 * The model's head fused with log-probability and entropy: logits `h Wᵀ / temperature` are made, used and forgotten one
 * row at a time, forwards and backwards. The plain form of what engines do in chunks.
 */
import { addRowGradient, type RowStatistics, rowStatistics } from "./logits.js";

export interface LinearHead {
  /** Hidden states, [N, D]. */
  readonly hidden: ArrayLike<number>;
  /** Head weights, [V, D]. */
  readonly weights: ArrayLike<number>;
  readonly width: number;
  /** Label of each row, [N]. */
  readonly labels: ArrayLike<number>;
  readonly temperature: number;
}

export function linearLogProb(head: LinearHead): { logProb: Float64Array; entropy: Float64Array } {
  const n = head.labels.length;
  const [logProb, entropy] = [new Float64Array(n), new Float64Array(n)];
  for (let row = 0; row < n; row++) {
    const s = statistics(head, row);
    [logProb[row], entropy[row]] = [s.logProb, s.entropy];
  }
  return { logProb, entropy };
}

/** Gradients of Σ dLogProb·logProb + dEntropy·entropy, [N, D] and [V, D]. */
export function linearLogProbBackward(
  head: LinearHead,
  upstream: { readonly logProb: ArrayLike<number>; readonly entropy: ArrayLike<number> },
): { hidden: Float64Array; weights: Float64Array } {
  const { hidden, weights, width, labels, temperature } = head;
  const vocabSize = weights.length / width;
  const out = { hidden: new Float64Array(hidden.length), weights: new Float64Array(weights.length) };
  for (let row = 0; row < labels.length; row++) {
    const dLogits = new Float64Array(vocabSize);
    const given = { logProb: upstream.logProb[row], entropy: upstream.entropy[row] };
    addRowGradient(dLogits, 0, labels[row], statistics(head, row), given, temperature);
    for (let v = 0; v < vocabSize; v++) {
      for (let d = 0; d < width; d++) {
        out.hidden[row * width + d] += dLogits[v] * weights[v * width + d];
        out.weights[v * width + d] += dLogits[v] * hidden[row * width + d];
      }
    }
  }
  return out;
}

function statistics({ hidden, weights, width, labels, temperature }: LinearHead, row: number): RowStatistics {
  const vocabSize = weights.length / width;
  const logits = new Float64Array(vocabSize);
  for (let v = 0; v < vocabSize; v++) {
    for (let d = 0; d < width; d++) logits[v] += hidden[row * width + d] * weights[v * width + d];
  }
  return rowStatistics(logits, vocabSize, 0, labels[row], temperature);
}
