import { hashText, philox } from "../../../core/data/index.js";
import { EMBEDDING, LM_HEAD, type ModelConfig } from "../../../core/formats/index.js";

/**
 * Random weights for a model trained from nothing. All are normal with mean 0, norms are ones:
 *
 * - embedding: variance 1; a tied one is also the head and gets the head's variance, norms rescale what follows it
 * - linear maps: variance 1 / inputs
 * - the two maps that write into the residual stream (`o_proj`, `down_proj`): 1 / (2 · layers · inputs), so that the
 *   stream's variance does not grow with depth
 * - head: 0.25 / inputs, so that the first predictions are close to uniform
 *
 * Values depend on (seed, parameter name, element) only: Philox, four Box–Muller normals per counter.
 */
export function fillInitialWeights(
  config: ModelConfig,
  seed: number,
  parameter: { readonly name: string; readonly shape: readonly number[] },
  into: Float32Array,
): void {
  if (parameter.shape.length === 1) into.fill(1);
  else fillNormal(into, seed, parameter.name, Math.sqrt(initialVariance(config, parameter)));
}

function initialVariance(
  config: ModelConfig,
  { name, shape }: { readonly name: string; readonly shape: readonly number[] },
): number {
  const inputs = shape[1];
  if (name === LM_HEAD || (name === EMBEDDING && config.tieWordEmbeddings)) return 0.25 / inputs;
  if (name === EMBEDDING) return 1;
  const writesResidual = name.endsWith("o_proj.weight") || name.endsWith("down_proj.weight");
  return 1 / (inputs * (writesResidual ? 2 * config.numLayers : 1));
}

function fillNormal(into: Float32Array, seed: number, name: string, std: number): void {
  const key = hashText(name);
  for (let i = 0; i < into.length; i += 4) {
    const [a, b, c, d] = philox(seed, key, i / 4);
    const [r1, r2] = [radius(a) * std, radius(c) * std];
    into[i] = r1 * Math.cos(angle(b));
    // Stores past the end of a typed array do nothing.
    into[i + 1] = r1 * Math.sin(angle(b));
    into[i + 2] = r2 * Math.cos(angle(d));
    into[i + 3] = r2 * Math.sin(angle(d));
  }
}

const radius = (word: number) => Math.sqrt(-2 * Math.log((word + 0.5) / 2 ** 32));
const angle = (word: number) => (2 * Math.PI * word) / 2 ** 32;
