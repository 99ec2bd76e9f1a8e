import type { OutputName } from "../../../../core/plugin.js";
import type { Autodiff, Ref } from "../../../../engines/onnx/ir/index.js";
import type { Head } from "../../../../engines/onnx/models/head.js";
import { LanguageModelHead } from "../../../../engines/onnx/models/lm-head.js";
import { scoreHead } from "../../../../engines/onnx/models/score-head.js";
import { checkGradients } from "./gradient-check.js";

const [ROWS, WIDTH, VOCAB] = [4, 3, 5];
const TARGETS = [3, 0, 4, 3];

/** A head as one operator of an autodiff; the weight's gradient is the head's own. */
function asOperator(ad: Autodiff, head: Head, name: OutputName, hidden: Ref, weight: Ref): Ref {
  const y = head.forward([name]).get(name) as Ref;
  return ad.record(y, [hidden, weight], (dy) => {
    const { seeds, parameters } = head.backward(new Map([[name, dy]]));
    return [() => seeds.get(hidden) as Ref, () => parameters.get("W") as Ref];
  });
}

const WAYS: readonly [how: string, chunks: number, keepsLogits: boolean][] = [
  ["whole", 1, true],
  ["in chunks that are kept", 2, true],
  ["in chunks that are computed again", 2, false],
];

const OF_DISTRIBUTION: Readonly<Record<string, (logPi: readonly number[], target: number) => number>> = {
  logProb: (logPi, target) => logPi[target],
  entropy: (logPi) => -logPi.reduce((sum, l) => sum + Math.exp(l) * l, 0),
  sumPiSquared: (logPi) => logPi.reduce((sum, l) => sum + Math.exp(2 * l), 0),
};

describe("engines/onnx/models heads", () => {
  for (const [name, f] of Object.entries(OF_DISTRIBUTION)) {
    for (const [how, chunks, keepsLogits] of WAYS) {
      it(`${name} of capped logits at a temperature, ${how}`, () => {
        const [cap, temperature] = [1.2, 0.8];
        return checkGradients({
          inputs: { hidden: [ROWS, WIDTH], weight: [VOCAB, WIDTH] },
          output: [ROWS],
          build(ad, { hidden, weight }) {
            const g = ad.graph;
            const head = new LanguageModelHead(g, {
              hidden,
              weight,
              weightName: "W",
              weightSum: () => g.op("Mul", [weight, g.scalar(0)]),
              targets: g.constant(Int32Array.from(TARGETS), [ROWS], "int32"),
              width: WIDTH,
              cap: g.scalar(cap / temperature),
              chunks,
              keepsLogits,
              vocabSize: VOCAB,
            });
            return asOperator(ad, head, name as OutputName, hidden, weight);
          },
          reference: ({ hidden, weight }) =>
            TARGETS.map((target, r) => {
              const logits = Array.from({ length: VOCAB }, (_, v) => {
                let z = 0;
                for (let i = 0; i < WIDTH; i++) z += hidden[r * WIDTH + i] * weight[v * WIDTH + i];
                return (cap / temperature) * Math.tanh(z);
              });
              const total = Math.log(logits.reduce((sum, z) => sum + Math.exp(z), 0));
              return f(
                logits.map((z) => z - total),
                target,
              );
            }),
        });
      });
    }
  }

  it("scores: a linear map with a bias", () =>
    checkGradients({
      inputs: { hidden: [ROWS, WIDTH], weight: [2, WIDTH], bias: [2] },
      accumulated: ["weight", "bias"],
      output: [ROWS * 2],
      build(ad, { hidden, weight, bias }) {
        const head = scoreHead(ad, "scores", { hidden, weight, bias, size: 2 });
        const y = head.forward(["scores"]).get("scores") as Ref;
        const [scores] = head.backward(new Map([["scores", y]])).seeds.keys();
        return ad.record(y, [scores], (dy) => [
          () => head.backward(new Map([["scores", dy]])).seeds.get(scores) as Ref,
        ]);
      },
      reference: ({ hidden, weight, bias }) =>
        Array.from({ length: ROWS * 2 }, (_, at) => {
          const [row, label] = [Math.floor(at / 2), at % 2];
          let sum = bias[label];
          for (let i = 0; i < WIDTH; i++) sum += hidden[row * WIDTH + i] * weight[label * WIDTH + i];
          return sum;
        }),
    }));
});
