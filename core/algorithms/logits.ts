/**
 * Log-probability, entropy and Σπ² from logits, with their gradients: the definitions that engines are tested against.
 * For one row of logits z over the vocabulary, after division by the temperature:
 *
 *   log p(y) = z_y − lse(z)              ∂/∂z = onehot(y) − p
 *   H = lse(z) − Σ p z                   ∂/∂z = −p (log p + H)
 *   Σπ² = exp(lse(2z) − 2 lse(z))
 *
 * A logit of −∞ is a token that cannot occur: it adds nothing to H and has gradient 0.
 */
export interface RowStatistics {
  readonly logProb: number;
  readonly entropy: number;
  readonly sumPiSquared: number;
  /** log p of every token, [V]. */
  readonly logProbs: Float64Array;
}

/** Statistics of row `row` of `[rows, V]` logits for the given label. */
export function rowStatistics(
  logits: ArrayLike<number>,
  vocabSize: number,
  row: number,
  label: number,
  temperature = 1,
): RowStatistics {
  const scale = 1 / Math.max(temperature, 1e-8);
  const start = row * vocabSize;
  let top = Number.NEGATIVE_INFINITY;
  for (let v = 0; v < vocabSize; v++) top = Math.max(top, logits[start + v] * scale);
  let sum = 0;
  for (let v = 0; v < vocabSize; v++) sum += Math.exp(logits[start + v] * scale - top);
  const logSumExp = top + Math.log(sum);
  const logProbs = Float64Array.from({ length: vocabSize }, (_, v) => logits[start + v] * scale - logSumExp);
  let entropy = 0;
  let sumPiSquared = 0;
  for (const lp of logProbs) {
    const p = Math.exp(lp);
    if (p > 0) entropy -= p * lp;
    sumPiSquared += p * p;
  }
  return { logProb: logProbs[label], entropy, sumPiSquared, logProbs };
}

/** Adds `dLogProb·∂log p/∂z + dEntropy·∂H/∂z` of one row to `gradient`, [rows, V]. */
export function addRowGradient(
  gradient: Float64Array,
  row: number,
  label: number,
  statistics: RowStatistics,
  upstream: { readonly logProb?: number; readonly entropy?: number },
  temperature = 1,
): void {
  const { logProbs, entropy } = statistics;
  const scale = 1 / Math.max(temperature, 1e-8);
  const start = row * logProbs.length;
  for (let v = 0; v < logProbs.length; v++) {
    const p = Math.exp(logProbs[v]);
    let g = (upstream.logProb ?? 0) * ((v === label ? 1 : 0) - p);
    if (p > 0) g -= (upstream.entropy ?? 0) * p * (logProbs[v] + entropy);
    gradient[start + v] += g * scale;
  }
}

/** Log-probability, entropy and Σπ² of every row, [rows]. */
export function logitStatistics(
  logits: ArrayLike<number>,
  vocabSize: number,
  labels: ArrayLike<number> | null,
  temperature = 1,
): { logProb: Float64Array; entropy: Float64Array; sumPiSquared: Float64Array } {
  const rows = logits.length / vocabSize;
  const out = {
    logProb: new Float64Array(rows),
    entropy: new Float64Array(rows),
    sumPiSquared: new Float64Array(rows),
  };
  for (let row = 0; row < rows; row++) {
    const s = rowStatistics(logits, vocabSize, row, labels ? labels[row] : 0, temperature);
    out.logProb[row] = s.logProb;
    out.entropy[row] = s.entropy;
    out.sumPiSquared[row] = s.sumPiSquared;
  }
  return out;
}
