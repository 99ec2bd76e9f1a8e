import { hashText, philox } from "../../../core/data/index.js";
import type { LoraShape } from "../../../core/formats/index.js";
import { loraNames } from "../../../core/formats/index.js";
import type { ParameterStore, StoredParameter } from "../backend/parameter-store.js";

/**
 * A new adapter as PEFT begins it: A uniform in ±1 / √inputs (`kaiming_uniform_` with a = √5), B 0, so that it changes
 * nothing yet; a head as it is in the model. Values depend on (seed, adapter's name, parameter's name, element) only.
 */
export function fillInitialAdapter(
  store: ParameterStore,
  base: ParameterStore,
  { modules }: LoraShape,
  seed: number,
  name: string,
): void {
  const first = new Set(modules.map((module) => loraNames(module).a));
  const second = new Set(modules.map((module) => loraNames(module).b));
  for (const parameter of store.parameters) {
    const values = store.values(parameter);
    if (first.has(parameter.name)) fillUniform(values, seed, `${name}/${parameter.name}`, parameter.shape[1] ** -0.5);
    else if (second.has(parameter.name)) values.fill(0);
    else values.set(base.values(base.find(parameter.name) as StoredParameter));
  }
}

function fillUniform(into: Float32Array, seed: number, name: string, bound: number): void {
  const key = hashText(name);
  for (let i = 0; i < into.length; i += 4) {
    philox(seed, key, i / 4).forEach((word, k) => {
      // Stores past the end of a typed array do nothing.
      into[i + k] = (((word + 0.5) / 2 ** 32) * 2 - 1) * bound;
    });
  }
}
