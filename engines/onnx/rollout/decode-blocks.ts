import { type Activation, biasOf, embeddingName, type ModelConfig, weightOf } from "../../../core/formats/index.js";
import { type Graph, MICROSOFT, type Ref } from "../ir/index.js";
import { type Blocks, partOf } from "../models/decoder.js";
import type { AttentionOp, DecodeInputs } from "./decode-graph.js";
import type { DecodeInitializers } from "./decode-initializers.js";
import { qkvModule } from "./decode-parameters.js";

const ACTIVATIONS: Readonly<Record<Activation, (g: Graph, x: Ref) => Ref>> = {
  // With alpha 1 this is x · sigmoid(x), in one pass.
  silu: (g, x) => g.op("QuickGelu", [x], { alpha: { float: 1 } }, MICROSOFT),
  gelu: (g, x) => g.op("Gelu", [x]),
  geluTanh: (g, x) => g.op("Gelu", [x], { approximate: "tanh" }),
  relu: (g, x) => g.op("Relu", [x]),
};

/** A decoder's operators without derivatives, over the new tokens of every row. */
export function decodeBlocks(
  config: ModelConfig,
  initializers: DecodeInitializers,
  inputs: DecodeInputs,
  attention: AttentionOp,
): Blocks {
  const { graph: g } = inputs;
  const parameter = (name: string) => initializers.parameter(name);
  const { names, biases } = config;
  const norm = (x: Ref, module: string) => normOf(g, config, parameter, x, module);
  const linear = (x: Ref, module: string, hasBias: boolean) =>
    g.within(partOf(module), () =>
      initializers.product(x, weightOf(module), hasBias ? biasOf(module) : null, config.transposedWeights),
    );
  const activate = (x: Ref) => ACTIVATIONS[config.activation](g, x);
  return {
    embed: () =>
      g.within("embedding", () =>
        g.op("Gather", [parameter(embeddingName(config)), g.op("Reshape", [inputs.ids, g.ints(-1)])]),
      ),
    addPositions(x) {
      const rows = g.op("Reshape", [inputs.positions(), g.ints(-1)]);
      return g.op("Add", [x, g.op("Gather", [parameter(weightOf(names.positions as string)), rows])]);
    },
    norm: (x, module) => g.within("norm", () => norm(x, module)),
    linear,
    attention: (x, layer) =>
      g.within("attention", () => attention(layer, linear(x, qkvModule(config, layer), biases.qkv), norm)),
    activate: (x) => g.within("mlp", () => activate(x)),
    gate: (gate, up) => g.within("mlp", () => g.op("Mul", [activate(gate), up])),
    add: (a, b) => g.within("residual", () => g.op("Add", [a, b])),
    scale: (x, factor) => g.op("Mul", [x, g.scalar(factor)]),
  };
}

/** Norm over the last dimension. */
function normOf(g: Graph, config: ModelConfig, parameter: (name: string) => Ref, x: Ref, module: string): Ref {
  const { kind } = config.norm;
  const epsilon = { float: config.norm.epsilon };
  const weight = parameter(weightOf(module));
  if (kind === "layer") {
    return g.op("LayerNormalization", [x, weight, parameter(biasOf(module))], { axis: -1, epsilon });
  }
  const gain = kind === "rmsPlusOne" ? g.op("Add", [weight, g.scalar(1)]) : weight;
  return g.op("SimplifiedLayerNormalization", [x, gain], { axis: -1, epsilon, stash_type: 1 });
}
