import { hashText, philox } from "../../../core/data/index.js";
import { isNewHead, type ModelConfig, type ParameterSpec } from "../../../core/formats/index.js";

/** How a value or score head begins that the model's files do not have. */
export type NewHead = "normal" | "zero";

/**
 * Random weights for a model trained from nothing. All are normal with mean 0; norms multiply by 1, biases are 0:
 *
 * - embedding: variance 1; a tied one is also the head and gets the head's variance, norms rescale what follows it
 * - learned positions: 0.02², as GPT-2's
 * - linear maps: variance 1 / inputs
 * - the two maps that write into the residual stream (`o_proj`, `down_proj`): 1 / (2 · layers · inputs), so that the
 *   stream's variance does not grow with depth
 * - language-model head: 0.25 / inputs, so that the first predictions are close to uniform
 * - value and score heads: `initializer_range`² of the model, as `transformers` puts them on a pretrained model; or 0
 *
 * Values depend on (seed, parameter name, element) only: Philox, four Box–Muller normals per counter.
 */
export function fillInitialWeights(
  config: ModelConfig,
  seed: number,
  parameter: ParameterSpec,
  into: Float32Array,
  newHead: NewHead = "normal",
): void {
  const { name, role } = parameter;
  if (role === "norm") into.fill(config.norm.kind === "rmsPlusOne" ? 0 : 1);
  else if (role === "bias" || role === "headBias") into.fill(0);
  else if (newHead === "zero" && isNewHead(config, parameter)) into.fill(0);
  else fillNormal(into, seed, name, Math.sqrt(initialVariance(config, parameter)));
}

function initialVariance(config: ModelConfig, parameter: ParameterSpec): number {
  const { role, shape } = parameter;
  const isTransposed = config.transposedWeights && (role === "linear" || role === "residual");
  const inputs = shape[isTransposed ? 0 : 1];
  const { initializer_range: range } = config.raw;
  switch (role) {
    case "embedding":
      return config.tieWordEmbeddings ? 0.25 / inputs : 1;
    case "head":
      return isNewHead(config, parameter) ? (typeof range === "number" ? range : 0.02) ** 2 : 0.25 / inputs;
    case "positions":
      return 0.02 ** 2;
    case "residual":
      return 1 / (2 * config.numLayers * inputs);
    default:
      return 1 / inputs;
  }
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
