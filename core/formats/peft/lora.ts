import type { ModelConfig } from "../model.js";
import { isNewHead, type ParameterSpec, parameterSpecs } from "../param-names.js";

/**
 * A low-rank adapter (LoRA; Hu et al., 2106.09685): a module's y = W x becomes W x + s · B A x, with A [rank, inputs] and
 * B [outputs, rank]. The head of a critic or reward model is no such module and is trained whole.
 */
export interface LoraShape {
  readonly rank: number;
  readonly alpha: number;
  /** s is α / √rank instead of α / rank (Kalajdzievski, 2312.03732). */
  readonly rslora: boolean;
  /** Full names of the modules, in the order of computation. */
  readonly modules: readonly string[];
}

/** A linear map inside the model's layers. */
export interface LinearModule {
  readonly name: string;
  readonly inputs: number;
  readonly outputs: number;
}

/** s */
export function loraScale({ rank, alpha, rslora }: Omit<LoraShape, "modules">): number {
  return alpha / (rslora ? Math.sqrt(rank) : rank);
}

export const loraNames = (module: string) => ({ a: `${module}.lora_A.weight`, b: `${module}.lora_B.weight` });

/** The modules that an adapter may change, in the order of computation. */
export function linearModules(config: ModelConfig): LinearModule[] {
  return parameterSpecs(config)
    .filter(({ role }) => role === "linear" || role === "residual")
    .map(({ name, shape }) => {
      const [outputs, inputs] = config.transposedWeights ? [shape[1], shape[0]] : shape;
      return { name: name.slice(0, -".weight".length), inputs, outputs };
    });
}

/** What is trained with an adapter: A and B of its modules, and the head of a model that does not predict tokens. */
export function loraParameterSpecs(config: ModelConfig, { rank, modules }: LoraShape): ParameterSpec[] {
  const chosen = new Set(modules);
  const matrices = linearModules(config)
    .filter(({ name }) => chosen.has(name))
    .flatMap(({ name, inputs, outputs }): ParameterSpec[] => {
      const { a, b } = loraNames(name);
      return [
        { name: a, shape: [rank, inputs], role: "linear" },
        { name: b, shape: [outputs, rank], role: "linear" },
      ];
    });
  return [...matrices, ...parameterSpecs(config).filter((spec) => isNewHead(config, spec))];
}
