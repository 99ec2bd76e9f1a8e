import type { ModelConfig } from "../../../core/formats/index.js";
import { allocateTensorData } from "../runtime/index.js";

/** Rotary embeddings (Su et al., 2104.09864): cos and sin of position · θ^(−2i/headDim), [positions, headDim / 2] each. */
export interface RopeTables {
  readonly positions: number;
  readonly cos: Float32Array;
  readonly sin: Float32Array;
  /** −sin: rotates back, for gradients. */
  readonly negSin: Float32Array;
}

/** Angles are rounded to float32 before the cosine, as the usual implementations do. */
export function ropeTables(config: ModelConfig, positions: number): RopeTables {
  const half = config.headDim / 2;
  const [cos, sin, negSin] = [0, 1, 2].map(() => allocateTensorData("float32", positions * half));
  for (let i = 0; i < half; i++) {
    const frequency = Math.fround(config.ropeTheta ** (-i / half));
    for (let t = 0; t < positions; t++) {
      const angle = Math.fround(t * frequency);
      cos[t * half + i] = Math.cos(angle);
      sin[t * half + i] = Math.sin(angle);
      negSin[t * half + i] = -sin[t * half + i];
    }
  }
  return { positions, cos, sin, negSin };
}
