import type { ModelConfig } from "../../../../core/formats/index.js";
import { type ModelOutputs, type SequenceBatch, sequenceAt } from "../../../../core/plugin.js";

/** Parameters in float64 by Hugging Face name. */
export type Weights = ReadonlyMap<string, Float64Array>;

/** The Llama forward pass as plain float64 loops, one sequence at a time: what gradients are checked against. */
export function referenceOutputs(
  config: ModelConfig,
  weights: Weights,
  batch: SequenceBatch,
): Required<Omit<ModelOutputs, "values">> {
  const total = batch.responseOffsets[batch.size];
  const outputs = {
    logProb: new Float64Array(total),
    entropy: new Float64Array(total),
    sumPiSquared: new Float64Array(total),
  };
  for (let b = 0; b < batch.size; b++) {
    const { promptIds, responseIds } = sequenceAt(batch, b);
    const ids = [...promptIds, ...responseIds];
    const hidden = trunk(config, weights, ids);
    for (let t = 0; t < responseIds.length; t++) {
      const r = batch.responseOffsets[b] + t;
      const row = hidden[promptIds.length + t - 1];
      const head = config.tieWordEmbeddings ? "model.embed_tokens.weight" : "lm_head.weight";
      const logits = linear(row, get(weights, head)).map((z) => z / batch.temperature);
      const max = Math.max(...logits);
      const logSum = max + Math.log(logits.reduce((s, z) => s + Math.exp(z - max), 0));
      const logPi = logits.map((z) => z - logSum);
      outputs.logProb[r] = logPi[responseIds[t]];
      outputs.entropy[r] = -logPi.reduce((s, l) => s + Math.exp(l) * l, 0);
      outputs.sumPiSquared[r] = logPi.reduce((s, l) => s + Math.exp(2 * l), 0);
    }
  }
  return outputs as unknown as Required<Omit<ModelOutputs, "values">>;
}

function trunk(config: ModelConfig, weights: Weights, ids: readonly number[]): number[][] {
  const { hiddenSize, numHeads, numKvHeads, headDim } = config;
  const embedding = get(weights, "model.embed_tokens.weight");
  let x = ids.map((id) => [...embedding.subarray(id * hiddenSize, (id + 1) * hiddenSize)]);
  for (let layer = 0; layer < config.numLayers; layer++) {
    const w = (name: string) => get(weights, `model.layers.${layer}.${name}.weight`);
    const a = x.map((row) => rmsNorm(row, w("input_layernorm"), config.norm.epsilon));
    const q = a.map((row, t) => rotate(linear(row, w("self_attn.q_proj")), t, config));
    const k = a.map((row, t) => rotate(linear(row, w("self_attn.k_proj")), t, config));
    const v = a.map((row) => linear(row, w("self_attn.v_proj")));
    const mixed = a.map((_, t) => {
      const out: number[] = [];
      for (let h = 0; h < numHeads; h++) {
        const kv = Math.floor(h / (numHeads / numKvHeads));
        const scores = Array.from({ length: t + 1 }, (_, s) => {
          let dot = 0;
          for (let i = 0; i < headDim; i++) dot += q[t][h * headDim + i] * k[s][kv * headDim + i];
          return dot / Math.sqrt(headDim);
        });
        const max = Math.max(...scores);
        const exps = scores.map((s) => Math.exp(s - max));
        const sum = exps.reduce((p, c) => p + c, 0);
        for (let i = 0; i < headDim; i++) {
          out.push(exps.reduce((acc, e, s) => acc + (e / sum) * v[s][kv * headDim + i], 0));
        }
      }
      return out;
    });
    x = x.map((row, t) => plus(row, linear(mixed[t], w("self_attn.o_proj"))));
    x = x.map((row) => {
      const m = rmsNorm(row, w("post_attention_layernorm"), config.norm.epsilon);
      const up = linear(m, w("mlp.up_proj"));
      const gated = linear(m, w("mlp.gate_proj")).map((z, i) => (z / (1 + Math.exp(-z))) * up[i]);
      return plus(row, linear(gated, w("mlp.down_proj")));
    });
  }
  return x.map((row) => rmsNorm(row, get(weights, "model.norm.weight"), config.norm.epsilon));
}

function rotate(row: number[], position: number, { headDim, ropes }: ModelConfig): number[] {
  const half = headDim / 2;
  const out = [...row];
  for (let start = 0; start < row.length; start += headDim) {
    for (let i = 0; i < half; i++) {
      const angle = position * ropes[0].inverseFrequencies[i];
      const [a, b] = [row[start + i], row[start + half + i]];
      out[start + i] = a * Math.cos(angle) - b * Math.sin(angle);
      out[start + half + i] = b * Math.cos(angle) + a * Math.sin(angle);
    }
  }
  return out;
}

function rmsNorm(row: number[], weight: Float64Array, epsilon: number): number[] {
  const meanSquare = row.reduce((s, x) => s + x * x, 0) / row.length;
  return row.map((x, i) => (x / Math.sqrt(meanSquare + epsilon)) * weight[i]);
}

function linear(row: number[], weight: Float64Array): number[] {
  const out: number[] = [];
  for (let o = 0; o * row.length < weight.length; o++) {
    let sum = 0;
    for (let i = 0; i < row.length; i++) sum += row[i] * weight[o * row.length + i];
    out.push(sum);
  }
  return out;
}

const plus = (a: number[], b: number[]) => a.map((x, i) => x + b[i]);

function get(weights: Weights, name: string): Float64Array {
  const found = weights.get(name);
  if (!found) throw new Error(`no weights ${name}`);
  return found;
}
