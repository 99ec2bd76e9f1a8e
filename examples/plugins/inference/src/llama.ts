import type { ModelShape } from "./model-shape.js";
import type { Weights } from "./weights.js";

/** Keys and values of one sequence: per layer a list with one [kvHeads · headDim] entry per token. */
export interface SequenceCache {
  readonly layers: readonly { readonly keys: Float64Array[]; readonly values: Float64Array[] }[];
}

export function emptyCache({ numLayers }: ModelShape): SequenceCache {
  return { layers: Array.from({ length: numLayers }, () => ({ keys: [], values: [] })) };
}

/**
 * Appends one token to a sequence and returns the residual stream after the last layer, [hiddenSize]. Pre-norm decoder
 * with rotary positions, grouped-query attention and SwiGLU (Touvron et al., 2302.13971); all sums in float64.
 */
export function appendToken(shape: ModelShape, weights: Weights, cache: SequenceCache, token: number): Float64Array {
  const { hiddenSize, rmsNormEps, numLayers } = shape;
  const position = cache.layers[0].keys.length;
  const embedding = weightOf(weights, "model.embed_tokens.weight");
  const x = Float64Array.from(embedding.subarray(token * hiddenSize, (token + 1) * hiddenSize));
  for (let layer = 0; layer < numLayers; layer++) {
    const parameter = (name: string) => weightOf(weights, `model.layers.${layer}.${name}.weight`);
    const { keys, values } = cache.layers[layer];
    const a = rmsNorm(x, parameter("input_layernorm"), rmsNormEps);
    const query = linear(a, parameter("self_attn.q_proj"));
    const key = linear(a, parameter("self_attn.k_proj"));
    rotate(query, position, shape);
    rotate(key, position, shape);
    keys.push(key);
    values.push(linear(a, parameter("self_attn.v_proj")));
    addTo(x, linear(attend(query, keys, values, shape), parameter("self_attn.o_proj")));

    const m = rmsNorm(x, parameter("post_attention_layernorm"), rmsNormEps);
    const gate = linear(m, parameter("mlp.gate_proj"));
    const up = linear(m, parameter("mlp.up_proj"));
    addTo(
      x,
      linear(
        gate.map((g, i) => (g / (1 + Math.exp(-g))) * up[i]),
        parameter("mlp.down_proj"),
      ),
    );
  }
  return x;
}

/** Logits of the next token, [V]. */
export function nextTokenLogits(shape: ModelShape, weights: Weights, hidden: Float64Array): Float32Array {
  const head = shape.tieWordEmbeddings ? "model.embed_tokens.weight" : "lm_head.weight";
  const normalised = rmsNorm(hidden, weightOf(weights, "model.norm.weight"), shape.rmsNormEps);
  return Float32Array.from(linear(normalised, weightOf(weights, head)));
}

/** Softmax attention of one query token over all cached ones; query heads share key heads in groups. */
function attend(
  query: Float64Array,
  keys: readonly Float64Array[],
  values: readonly Float64Array[],
  { numHeads, numKvHeads, headDim }: ModelShape,
): Float64Array {
  const mixed = new Float64Array(numHeads * headDim);
  for (let head = 0; head < numHeads; head++) {
    const q = head * headDim;
    const kv = Math.floor((head * numKvHeads) / numHeads) * headDim;
    const scores = keys.map((key) => {
      let sum = 0;
      for (let i = 0; i < headDim; i++) sum += query[q + i] * key[kv + i];
      return sum / Math.sqrt(headDim);
    });
    const max = Math.max(...scores);
    const exps = scores.map((score) => Math.exp(score - max));
    const total = exps.reduce((sum, e) => sum + e, 0);
    values.forEach((value, t) => {
      const weight = exps[t] / total;
      for (let i = 0; i < headDim; i++) mixed[q + i] += weight * value[kv + i];
    });
  }
  return mixed;
}

/** Rotary position embedding of every head in place: component i turns with i + headDim / 2, as in Hugging Face's Llama. */
function rotate(heads: Float64Array, position: number, { headDim, ropeTheta }: ModelShape): void {
  const half = headDim / 2;
  for (let i = 0; i < half; i++) {
    const angle = position * ropeTheta ** (-i / half);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    for (let at = i; at < heads.length; at += headDim) {
      const [a, b] = [heads[at], heads[at + half]];
      heads[at] = a * cos - b * sin;
      heads[at + half] = b * cos + a * sin;
    }
  }
}

function rmsNorm(x: Float64Array, weight: Float32Array, epsilon: number): Float64Array {
  let squares = 0;
  for (const value of x) squares += value * value;
  const scale = 1 / Math.sqrt(squares / x.length + epsilon);
  return x.map((value, i) => value * scale * weight[i]);
}

/** y = W x, W [outputs, inputs]. Four sums side by side: additions that do not wait for each other. */
function linear(x: Float64Array, weight: Float32Array): Float64Array {
  const inputs = x.length;
  const y = new Float64Array(weight.length / inputs);
  for (let o = 0, w = 0; o < y.length; o++) {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    let i = 0;
    for (; i + 3 < inputs; i += 4, w += 4) {
      a += weight[w] * x[i];
      b += weight[w + 1] * x[i + 1];
      c += weight[w + 2] * x[i + 2];
      d += weight[w + 3] * x[i + 3];
    }
    for (; i < inputs; i++, w++) a += weight[w] * x[i];
    y[o] = a + b + c + d;
  }
  return y;
}

function addTo(x: Float64Array, y: Float64Array): void {
  for (let i = 0; i < x.length; i++) x[i] += y[i];
}

function weightOf(weights: Weights, name: string): Float32Array {
  const weight = weights.get(name);
  if (!weight) throw new Error(`no weight ${name}`);
  return weight;
}
