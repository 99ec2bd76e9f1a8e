import { allocateTensorData } from "../runtime/index.js";
import type { AdamWScalars, UpdateKernels } from "./kernels.js";

/** Plain loops, for shards that are too large for one WebAssembly memory. */
export class PlainKernels implements UpdateKernels {
  readonly values: Float32Array;
  readonly gradients: Float32Array;
  readonly m: Float32Array;
  readonly v: Float32Array;

  constructor(size: number) {
    [this.values, this.gradients, this.m, this.v] = Array.from({ length: 4 }, () =>
      allocateTensorData("float32", size),
    );
  }

  adamw({ gradScale, beta1, beta2, decay, stepSize, rootCorrection, eps }: AdamWScalars): void {
    const { values, gradients, m, v } = this;
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

  gradientSquareSum(): number {
    const { gradients: x } = this;
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < x.length; i += 4) {
      a += x[i] * x[i];
      b += x[i + 1] * x[i + 1];
      c += x[i + 2] * x[i + 2];
      d += x[i + 3] * x[i + 3];
    }
    return a + b + (c + d);
  }
}
