import { allocateTensorData } from "../runtime/index.js";
import type { AdamWScalars, SgdScalars, UpdateKernels } from "./kernels.js";

/** Plain loops, for shards that are too large for one WebAssembly memory. */
export class PlainKernels implements UpdateKernels {
  readonly values: Float32Array;
  readonly gradients: Float32Array;
  readonly state: readonly Float32Array[];

  constructor(size: number, stateArrays: number) {
    const array = () => allocateTensorData("float32", size);
    this.values = array();
    this.gradients = array();
    this.state = Array.from({ length: stateArrays }, array);
  }

  adamw({ gradScale, beta1, beta2, decay, stepSize, rootCorrection, eps }: AdamWScalars): void {
    const { values, gradients } = this;
    const [m, v] = this.state;
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

  sgd({ gradScale, weightDecay, momentum, nesterov, lr }: SgdScalars): void {
    const { values, gradients } = this;
    const m = momentum === 0 ? null : this.state[0];
    for (let i = 0; i < values.length; i++) {
      const d = gradients[i] * gradScale + weightDecay * values[i];
      const mi = m ? momentum * m[i] + d : d;
      if (m) m[i] = mi;
      values[i] -= lr * (nesterov ? d + momentum * mi : mi);
    }
  }

  average(share: number): void {
    const { values } = this;
    const average = this.state[this.state.length - 1];
    for (let i = 0; i < values.length; i++) average[i] += (values[i] - average[i]) * share;
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
