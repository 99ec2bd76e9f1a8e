import { type ModelConfig, type ParameterSpec, parameterSpecs } from "../../../../core/formats/index.js";
import type { NamedTensor } from "../../../../core/plugin.js";

/** The weights that `test/peers/model_families.py` gives its models: they follow from the parameters' names. */
export function peerWeights(
  config: ModelConfig,
  specs: readonly ParameterSpec[] = parameterSpecs(config),
): (NamedTensor & { readonly data: Float32Array })[] {
  return specs.map(({ name, shape, role }) => {
    const count = shape.reduce((n, d) => n * d, 1);
    const offset = role === "norm" && config.norm.kind !== "rmsPlusOne" ? 1 : 0;
    const scale = shape.length === 2 ? 1.6 / Math.sqrt(shape[1]) : role === "norm" ? 0.2 : 0.3;
    const uniform = uniformFrom(name);
    const data = Float32Array.from({ length: count }, (_, i) => uniform(i) * scale + offset);
    return { name, shape, dtype: "f32", data };
  });
}

/** Numbers in [−1, 1): FNV-1a of the name, then a mixed counter. */
export function uniformFrom(name: string): (index: number) => number {
  let seed = 2166136261;
  for (const byte of Buffer.from(name)) seed = Math.imul(seed ^ byte, 16777619);
  return (index) => {
    let x = seed + Math.imul(index, 0x9e3779b9);
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    x ^= x >>> 16;
    return (x >>> 8) / 2 ** 23 - 1;
  };
}
