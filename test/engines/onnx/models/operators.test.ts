import type { Activation } from "../../../../core/formats/index.js";
import type { Autodiff, Ref } from "../../../../engines/onnx/ir/index.js";
import { activate, gated } from "../../../../engines/onnx/models/activations.js";
import { attention, causalMask } from "../../../../engines/onnx/models/attention.js";
import { blockwiseAttention } from "../../../../engines/onnx/models/blockwise-attention.js";
import { linear, positionRows, reshapeRows, rotary, splitColumns } from "../../../../engines/onnx/models/layers.js";
import { layerNorm, rmsNorm } from "../../../../engines/onnx/models/norms.js";
import { checkGradients } from "./gradient-check.js";

/** erf by its series, which converges for the arguments here. */
function erf(x: number): number {
  let [term, sum] = [x, x];
  for (let n = 1; n < 60; n++) {
    term *= -(x * x) / n;
    sum += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}

const ACTIVATIONS: Readonly<Record<Activation, (x: number) => number>> = {
  silu: (x) => x / (1 + Math.exp(-x)),
  gelu: (x) => (x * (1 + erf(x / Math.SQRT2))) / 2,
  geluTanh: (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
  relu: (x) => Math.max(x, 0),
};

const rowsOf = (x: Float64Array, width: number) =>
  Array.from({ length: x.length / width }, (_, r) => x.subarray(r * width, (r + 1) * width));
const mean = (x: ArrayLike<number>) => Array.from(x).reduce((a, b) => a + b, 0) / x.length;

describe("engines/onnx/models operators and their derivatives", () => {
  for (const [name, f] of Object.entries(ACTIVATIONS) as [Activation, (x: number) => number][]) {
    it(`${name}, alone and as a gate`, async () => {
      await checkGradients({
        inputs: { x: [4, 6] },
        output: [4, 6],
        build: (ad, { x }) => activate(ad, x, name),
        reference: ({ x }) => x.map(f),
      });
      await checkGradients({
        inputs: { gate: [4, 6], up: [4, 6] },
        output: [4, 6],
        build: (ad, { gate, up }) => gated(ad, gate, up, name),
        reference: ({ gate, up }) => gate.map((x, i) => f(x) * up[i]),
      });
    });
  }

  for (const plusOne of [false, true]) {
    it(`RMSNorm with ${plusOne ? "1 + weight" : "weight"}`, () =>
      checkGradients({
        inputs: { x: [5, 6], weight: [6] },
        accumulated: ["weight"],
        output: [5, 6],
        build: (ad, { x, weight }) => rmsNorm(ad, x, weight, { width: 6, epsilon: 0.1, plusOne }),
        reference: ({ x, weight }) =>
          rowsOf(x, 6).flatMap((row) => {
            const rms = Math.sqrt(mean(row.map((v) => v * v)) + 0.1);
            return [...row].map((v, i) => (v / rms) * (weight[i] + (plusOne ? 1 : 0)));
          }),
      }));
  }

  it("LayerNorm", () =>
    checkGradients({
      inputs: { x: [5, 6], weight: [6], bias: [6] },
      accumulated: ["weight", "bias"],
      output: [5, 6],
      build: (ad, { x, weight, bias }) => layerNorm(ad, x, weight, bias, { width: 6, epsilon: 0.1 }),
      reference: ({ x, weight, bias }) =>
        rowsOf(x, 6).flatMap((row) => {
          const centre = mean(row);
          const deviation = Math.sqrt(mean(row.map((v) => (v - centre) ** 2)) + 0.1);
          return [...row].map((v, i) => ((v - centre) / deviation) * weight[i] + bias[i]);
        }),
    }));

  for (const transposed of [false, true]) {
    it(`linear map with a bias, weight ${transposed ? "[inputs, outputs]" : "[outputs, inputs]"}`, () =>
      checkGradients({
        inputs: { x: [5, 4], weight: transposed ? [4, 3] : [3, 4], bias: [3] },
        accumulated: ["weight", "bias"],
        output: [5, 3],
        build: (ad, { x, weight, bias }) => linear(ad, x, weight, { bias, transposed }),
        reference: ({ x, weight, bias }) =>
          rowsOf(x, 4).flatMap((row) =>
            [...bias].map((b, o) => row.reduce((s, v, i) => s + v * weight[transposed ? i * 3 + o : o * 4 + i], b)),
          ),
      }));
  }

  it("columns cut apart, of which one is not used", () =>
    checkGradients({
      inputs: { x: [3, 6] },
      output: [3, 3],
      build(ad, { x }) {
        const [a, , c] = splitColumns(ad, x, [1, 2, 3]);
        const wide = ad.graph.op("Mul", [c, a]);
        const sum = (d: Ref) => ad.graph.op("ReduceSum", [d, ad.graph.ints(1)], { keepdims: 1 });
        return ad.record(wide, [a, c], (d) => [
          () => sum(ad.graph.op("Mul", [d, c])),
          () => ad.graph.op("Mul", [d, a]),
        ]);
      },
      reference: ({ x }) => rowsOf(x, 6).flatMap((row) => [...row.subarray(3)].map((v) => v * row[0])),
    }));

  it("norms of each head: rows of another width", () =>
    checkGradients({
      inputs: { x: [3, 8], weight: [4] },
      accumulated: ["weight"],
      output: [3, 8],
      build(ad, { x, weight }) {
        const normed = rmsNorm(ad, reshapeRows(ad, x, 8, 4), weight, { width: 4, epsilon: 0.1 });
        return reshapeRows(ad, normed, 4, 8);
      },
      reference: ({ x, weight }) =>
        rowsOf(x, 4).flatMap((row) => {
          const rms = Math.sqrt(mean(row.map((v) => v * v)) + 0.1);
          return [...row].map((v, i) => (v / rms) * weight[i]);
        }),
    }));

  it("learned positions: the first rows of a table for every sequence", () =>
    checkGradients({
      inputs: { table: [5, 2] },
      accumulated: ["table"],
      output: [3, 4, 2],
      build: (ad, { table }) => positionRows(ad, table, { rows: 5, width: 2, gridShape: ad.graph.ints(3, 4) }),
      reference: ({ table }) => [0, 1, 2].flatMap(() => [...table.subarray(0, 8)]),
    }));

  it("rotation that also scales", () => {
    const table = (f: (x: number) => number) => Float32Array.from({ length: 6 }, (_, i) => 1.5 * f(0.7 * i));
    const [cos, sin] = [table(Math.cos), table(Math.sin)];
    return checkGradients({
      inputs: { x: [2, 3, 8] },
      output: [2, 3, 8],
      build(ad, { x }) {
        const constant = (data: Float32Array) => ad.graph.constant(data, [3, 2], "float32");
        return rotary(ad, x, { cos: constant(cos), sin: constant(sin), negSin: constant(sin.map((s) => -s)) });
      },
      reference: ({ x }) =>
        x.map((v, i) => {
          const [t, pair, second] = [Math.floor(i / 8) % 3, i % 2, i % 4 >= 2];
          const [c, s] = [cos[t * 2 + pair], sin[t * 2 + pair]];
          return second ? v * c + x[i - 2] * s : v * c - x[i + 2] * s;
        }),
    });
  });

  const [B, T, K, group, D] = [2, 5, 2, 2, 2];
  const variants = {
    "grouped queries": { window: null, softcap: null },
    "with a window": { window: 2, softcap: null },
    "with a soft cap": { window: null, softcap: 0.7 },
    "with both": { window: 3, softcap: 0.7 },
  };
  for (const [what, { window, softcap }] of Object.entries(variants)) {
    for (const rows of [null, 1, 2, 5, 8])
      it(`attention, ${what}, ${rows === null ? "whole" : `in blocks of ${rows}`}`, () => {
        const H = K * group;
        const shape = { numHeads: H, numKvHeads: K, headDim: D, scale: 0.6, softcap };
        return checkGradients({
          inputs: { q: [B, T, H * D], k: [B, T, K * D], v: [B, T, K * D] },
          output: [B, T, H * D],
          build(ad: Autodiff, { q, k, v }) {
            if (rows !== null) return blockwiseAttention(ad, q, k, v, { rows, window }, shape);
            return attention(ad, q, k, v, causalMask(ad.graph, ad.graph.int(T), group, window), shape);
          },
          reference({ q, k, v }) {
            const out = new Float64Array(B * T * H * D);
            for (let b = 0; b < B; b++) {
              for (let t = 0; t < T; t++) {
                for (let h = 0; h < H; h++) {
                  const head = Math.floor(h / group);
                  const first = window === null ? 0 : Math.max(0, t - window + 1);
                  const weights = Array.from({ length: t - first + 1 }, (_, i) => {
                    let dot = 0;
                    for (let d = 0; d < D; d++) {
                      dot += q[((b * T + t) * H + h) * D + d] * k[((b * T + first + i) * K + head) * D + d];
                    }
                    const score = dot * 0.6;
                    return Math.exp(softcap === null ? score : softcap * Math.tanh(score / softcap));
                  });
                  const total = weights.reduce((a, w) => a + w, 0);
                  for (let d = 0; d < D; d++) {
                    out[((b * T + t) * H + h) * D + d] = weights.reduce(
                      (sum, w, i) => sum + (w / total) * v[((b * T + first + i) * K + head) * D + d],
                      0,
                    );
                  }
                }
              }
            }
            return out;
          },
        });
      });
  }
});
