import type { RopeConfig } from "../../../core/formats/index.js";
import { allocateTensorData } from "../runtime/index.js";

/** cos and sin of position · frequency, times the magnitude, [positions, headDim / 2] each. */
export interface RopeTables {
  readonly cos: Float32Array;
  readonly sin: Float32Array;
  /** −sin: rotates back, for gradients. */
  readonly negSin: Float32Array;
}

export type RopeTable = keyof RopeTables;

const INPUT_NAMES: Readonly<Record<RopeTable, string>> = { cos: "rope_cos", sin: "rope_sin", negSin: "rope_neg_sin" };

/** Graph input of a table of the model's rotary embedding `index`, float32 [positions, headDim / 2]. */
export function ropeInput(index: number, table: RopeTable): string {
  return index === 0 ? INPUT_NAMES[table] : `${INPUT_NAMES[table]}_${index}`;
}

/** Angles are rounded to float32 before the cosine, as the usual implementations do. */
export function ropeTables({ inverseFrequencies, magnitude }: RopeConfig, positions: number): RopeTables {
  const half = inverseFrequencies.length;
  const [cos, sin, negSin] = [0, 1, 2].map(() => allocateTensorData("float32", positions * half));
  for (let i = 0; i < half; i++) {
    const frequency = Math.fround(inverseFrequencies[i]);
    for (let t = 0; t < positions; t++) {
      const angle = Math.fround(t * frequency);
      cos[t * half + i] = magnitude * Math.cos(angle);
      sin[t * half + i] = magnitude * Math.sin(angle);
      negSin[t * half + i] = -sin[t * half + i];
    }
  }
  return { cos, sin, negSin };
}
