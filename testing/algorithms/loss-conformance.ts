import assert from "node:assert/strict";
import { evaluateLoss } from "../../core/algorithms/index.js";
import type { AnyLoss, LossInput } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";

/** Rows of unequal length with a hole in the mask; values differ everywhere, so that nothing cancels by accident. */
const LENGTHS = [3, 1, 4, 2];
const TOKENS = 10;
const MASK = [1, 1, 1, 1, 1, 0, 1, 1, 1, 1];

/**
 * What every loss must do, on numbers: the gradient is that of the loss, masked tokens do not matter, and splitting the
 * batch by sequences does not change the sum.
 */
export function lossConformance(make: () => AnyLoss): ConformanceCase[] {
  return [
    {
      name: "its gradient is the derivative of its value",
      async run() {
        const loss = make();
        const input = lossInput();
        const { gradients } = evaluateLoss(loss, input);
        for (const name of loss.outputs) {
          for (let r = 0; r < TOKENS; r++) {
            const numeric = derivative(loss, input, name, r);
            const given = gradients[name]?.[r] ?? 0;
            assert.ok(
              Math.abs(numeric - given) < 1e-4 * (1 + Math.abs(numeric)),
              `d/d ${name}[${r}]: ${given}, not ${numeric}`,
            );
          }
        }
      },
    },
    {
      name: "what stands under a zero mask does not matter, NaN included",
      async run() {
        const loss = make();
        const clean = evaluateLoss(loss, lossInput());
        const dirty = evaluateLoss(loss, lossInput({ masked: Number.NaN }));
        assert.ok(Math.abs(clean.loss - dirty.loss) < 1e-9 * (1 + Math.abs(clean.loss)));
      },
    },
    {
      name: "a batch without a valid token costs nothing",
      async run() {
        const { loss, gradients } = evaluateLoss(make(), { ...lossInput(), responseMask: new Float64Array(TOKENS) });
        assert.equal(loss, 0);
        for (const gradient of Object.values(gradients)) assert.ok(!gradient?.some((g) => g !== 0));
      },
    },
    {
      name: "the shares of its micro-batches add up",
      async run() {
        const loss = make();
        if (loss.scope !== "token" && loss.scope !== "sequence") return;
        const whole = evaluateLoss(loss, lossInput());
        const parts = [lossInput({ rows: [0, 1] }), lossInput({ rows: [2, 3] })].map(
          (part) => evaluateLoss(loss, part).loss,
        );
        assert.ok(Math.abs(whole.loss - parts[0] - parts[1]) < 1e-6 * (1 + Math.abs(whole.loss)));
      },
    },
  ];
}

function derivative(loss: AnyLoss, input: LossInput, name: keyof LossInput["outputs"], r: number): number {
  const step = 1e-5;
  const at = (delta: number) => {
    const moved = Float64Array.from(input.outputs[name] ?? []);
    moved[r] += delta;
    return evaluateLoss(loss, { ...input, outputs: { ...input.outputs, [name]: moved } }).loss;
  };
  return (at(step) - at(-step)) / (2 * step);
}

/** Global counts are those of all rows, whichever rows are taken. */
function lossInput({ rows = [0, 1, 2, 3], masked }: { rows?: number[]; masked?: number } = {}): LossInput {
  const starts = LENGTHS.map((_, b) => LENGTHS.slice(0, b).reduce((a, n) => a + n, 0));
  const tokens = rows.flatMap((b) => Array.from({ length: LENGTHS[b] }, (_, t) => starts[b] + t));
  const wave = (scale: number, shift: number, offset = 0) =>
    Float64Array.from(tokens, (r) =>
      MASK[r] === 0 && masked !== undefined ? masked : offset + scale * Math.sin(1.7 * r + shift),
    );
  const responseOffsets = new Int32Array(rows.length + 1);
  rows.forEach((b, i) => {
    responseOffsets[i + 1] = responseOffsets[i] + LENGTHS[b];
  });
  const token = (data: Float64Array) => ({ extent: "token" as const, data });
  return {
    outputs: {
      logProb: wave(0.3, 0, -1.5),
      entropy: wave(0.2, 1, 1),
      sumPiSquared: wave(0.1, 2, 0.4),
      values: wave(0.5, 3),
    },
    columns: new Map([
      ["advantages", token(wave(1, 0.5, 0.2))],
      ["oldLogProb", token(wave(0.31, 0.1, -1.52))],
      ["refLogProb", token(wave(0.28, 0.3, -1.4))],
      ["rolloutIsWeights", token(wave(0.2, 0.7, 1))],
      ["returns", token(wave(0.6, 1.1))],
      ["oldValues", token(wave(0.5, 3.1))],
    ]),
    responseMask: Float64Array.from(tokens, (r) => MASK[r]),
    responseOffsets,
    counts: { batchNumTokens: 9, globalBatchSize: LENGTHS.length, lossScaleFactor: 4, dpSize: 1 },
  };
}
