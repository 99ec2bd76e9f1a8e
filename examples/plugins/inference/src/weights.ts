import { type NamedTensor, rolloutErrors } from "verl-ts/plugin";
import type { ModelShape } from "./model-shape.js";

/** Parameters by Hugging Face name; a linear layer's is [outputs, inputs]. */
export type Weights = ReadonlyMap<string, Float32Array>;

/** Copy a stream that must be exactly the model. Tensors are valid until the next pull only, so each is copied. */
export async function collectWeights(shape: ModelShape, stream: AsyncIterable<NamedTensor>): Promise<Weights> {
  const sizes = parameterSizes(shape);
  const weights = new Map<string, Float32Array>();
  for await (const { name, dtype, shape: dims, data } of stream) {
    const [rows, columns] = sizes.get(name) ?? [0, 0];
    const fits = columns === 0 ? dims.length === 1 && dims[0] === rows : dims[0] === rows && dims[1] === columns;
    if (rows === 0 || weights.has(name) || !fits || data.length !== rows * (columns || 1)) {
      throw rolloutErrors.VERL_ROLLOUT_BAD_WEIGHTS({
        what: `Tensor ${name} [${dims}] of ${data.length} elements does not belong here, or came twice`,
      });
    }
    if (!(data instanceof Float32Array)) {
      throw rolloutErrors.VERL_ROLLOUT_BAD_WEIGHTS({ what: `Tensor ${name} is ${dtype}; plainjs takes f32` });
    }
    weights.set(name, data.slice());
  }
  const missing = [...sizes.keys()].filter((name) => !weights.has(name));
  if (missing.length > 0) {
    throw rolloutErrors.VERL_ROLLOUT_BAD_WEIGHTS({
      what: `The update lacks ${missing.length} tensors: ${missing[0]}, …`,
    });
  }
  return weights;
}

/** Rows and columns of every parameter; 0 columns for a vector. */
function parameterSizes(shape: ModelShape): Map<string, readonly [number, number]> {
  const { vocabSize, hiddenSize, intermediateSize, numLayers, numHeads, numKvHeads, headDim } = shape;
  const [queryWidth, keyWidth] = [numHeads * headDim, numKvHeads * headDim];
  const sizes = new Map<string, readonly [number, number]>([
    ["model.embed_tokens.weight", [vocabSize, hiddenSize]],
    ["model.norm.weight", [hiddenSize, 0]],
  ]);
  if (!shape.tieWordEmbeddings) sizes.set("lm_head.weight", [vocabSize, hiddenSize]);
  for (let layer = 0; layer < numLayers; layer++) {
    const prefix = `model.layers.${layer}`;
    sizes.set(`${prefix}.input_layernorm.weight`, [hiddenSize, 0]);
    sizes.set(`${prefix}.self_attn.q_proj.weight`, [queryWidth, hiddenSize]);
    sizes.set(`${prefix}.self_attn.k_proj.weight`, [keyWidth, hiddenSize]);
    sizes.set(`${prefix}.self_attn.v_proj.weight`, [keyWidth, hiddenSize]);
    sizes.set(`${prefix}.self_attn.o_proj.weight`, [hiddenSize, queryWidth]);
    sizes.set(`${prefix}.post_attention_layernorm.weight`, [hiddenSize, 0]);
    sizes.set(`${prefix}.mlp.gate_proj.weight`, [intermediateSize, hiddenSize]);
    sizes.set(`${prefix}.mlp.up_proj.weight`, [intermediateSize, hiddenSize]);
    sizes.set(`${prefix}.mlp.down_proj.weight`, [hiddenSize, intermediateSize]);
  }
  return sizes;
}
