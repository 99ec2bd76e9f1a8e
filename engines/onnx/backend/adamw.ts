import type { OptimizerConfig } from "../../../core/plugin.js";
import { allocateTensorData } from "../runtime/index.js";

/**
 * AdamW with decoupled weight decay (Loshchilov & Hutter, 1711.05101) over flat arrays; the arithmetic is float64, the
 * moments are stored in float32.
 */
export class AdamW {
  readonly m: Float32Array;
  readonly v: Float32Array;
  /** Updates done. */
  steps = 0;

  constructor(size: number) {
    this.m = allocateTensorData("float32", size);
    this.v = allocateTensorData("float32", size);
  }

  update(values: Float32Array, gradients: Float32Array, options: AdamWUpdate): void {
    this.steps++;
    const { lr, gradScale, optimizer } = options;
    const [beta1, beta2] = optimizer.betas;
    const { eps, weightDecay } = optimizer;
    const decay = 1 - lr * weightDecay;
    const stepSize = lr / (1 - beta1 ** this.steps);
    const rootCorrection = 1 / Math.sqrt(1 - beta2 ** this.steps);
    const { m, v } = this;
    const [keep1, keep2] = [1 - beta1, 1 - beta2];
    for (let i = 0; i < values.length; i++) {
      const g = gradients[i] * gradScale;
      const mi = beta1 * m[i] + keep1 * g;
      const vi = beta2 * v[i] + keep2 * g * g;
      m[i] = mi;
      v[i] = vi;
      values[i] = values[i] * decay - (stepSize * mi) / (Math.sqrt(vi) * rootCorrection + eps);
    }
  }
}

export interface AdamWUpdate {
  readonly lr: number;
  readonly gradScale: number;
  readonly optimizer: OptimizerConfig;
}

/** Σ x² in float64, four sums side by side. The length is a multiple of 4. */
export function squareSum(x: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < x.length; i += 4) {
    a += x[i] * x[i];
    b += x[i + 1] * x[i + 1];
    c += x[i + 2] * x[i + 2];
    d += x[i + 3] * x[i + 3];
  }
  return a + b + (c + d);
}
