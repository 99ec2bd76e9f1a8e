/**
 * AdamW with decoupled weight decay (Loshchilov & Hutter, 1711.05101), the plain form that engines are checked against.
 *
 *   p ← p − lr·wd·p
 *   m ← β₁m + (1−β₁)g        v ← β₂v + (1−β₂)g²
 *   p ← p − lr · m̂ / (√v̂ + ε)      m̂ = m/(1−β₁ᵗ), v̂ = v/(1−β₂ᵗ)
 */
export interface AdamWOptions {
  readonly lr: number;
  readonly betas: readonly [number, number];
  readonly eps: number;
  readonly weightDecay: number;
}

/** Moments of one parameter; the arrays have the parameter's length. */
export interface AdamWState {
  /** Updates done. */
  step: number;
  readonly m: Float64Array;
  readonly v: Float64Array;
}

export function createAdamWState(length: number): AdamWState {
  return { step: 0, m: new Float64Array(length), v: new Float64Array(length) };
}

/** One update in place. `gradScale` multiplies the gradients first (global-norm clipping). */
export function adamwStep(
  param: Float64Array | Float32Array,
  grad: ArrayLike<number>,
  state: AdamWState,
  { lr, betas: [beta1, beta2], eps, weightDecay }: AdamWOptions,
  gradScale = 1,
): void {
  state.step++;
  const correction1 = 1 - beta1 ** state.step;
  const correction2 = 1 - beta2 ** state.step;
  for (let i = 0; i < param.length; i++) {
    const g = grad[i] * gradScale;
    state.m[i] = beta1 * state.m[i] + (1 - beta1) * g;
    state.v[i] = beta2 * state.v[i] + (1 - beta2) * g * g;
    const decayed = param[i] - lr * weightDecay * param[i];
    param[i] = decayed - (lr * (state.m[i] / correction1)) / (Math.sqrt(state.v[i] / correction2) + eps);
  }
}
