import { expect } from "chai";
import fc from "fast-check";
import type { LossFunction, LossInput } from "../../../core/algorithms/algebra.js";
import { countsOf } from "../../../core/algorithms/counts.js";
import { dpoLoss } from "../../../core/algorithms/losses/dpo.js";
import { orpoLoss } from "../../../core/algorithms/losses/orpo.js";
import { simpoLoss } from "../../../core/algorithms/losses/simpo.js";
import { pairOf } from "../../../core/algorithms/preference-pairs.js";
import { differentiate } from "../../../core/algorithms/tape.js";
import { lossInputOf, type RowFixture } from "./fixtures.js";

const response = (logProb: number[], mask = logProb.map(() => 1)): RowFixture => ({
  mask,
  outputs: { logProb },
  columns: { refLogProb: logProb.map((_, t) => -1 - t / 10) },
});

function pairsInput(rows: readonly RowFixture[], counts = lossInputOf(rows).counts): LossInput {
  const input = lossInputOf(rows, counts);
  const chosen = rows.map((_, b) => (b % 2 === 0 ? 1 : 0));
  return { ...input, columns: new Map([...input.columns, ["chosen", { extent: "sequence", data: chosen }]]) };
}

const losses: Record<string, LossFunction> = {
  sigmoid: dpoLoss({ lossType: "sigmoid", beta: 0.3, labelSmoothing: 0.1 }),
  robust: dpoLoss({ lossType: "robust", beta: 0.3, labelSmoothing: 0.1 }),
  ipo: dpoLoss({ lossType: "ipo", beta: 0.3, average: true }),
  sppo_hard: dpoLoss({ lossType: "sppo_hard", beta: 0.3 }),
  simpo: simpoLoss({ beta: 2, gamma: 0.5 }),
  orpo: orpoLoss({ lambda: 0.1 }),
};

describe("preference losses", () => {
  const logProbs = fc.array(fc.double({ min: -3, max: -0.1, noNaN: true }), { minLength: 1, maxLength: 4 });
  const pairs = fc.array(fc.tuple(logProbs, logProbs), { minLength: 1, maxLength: 4 });

  for (const [name, loss] of Object.entries(losses)) {
    it(`${name}: does not depend on how pairs are spread over micro-batches`, () => {
      fc.assert(
        fc.property(pairs, (list) => {
          const rows = list.flat().map((lp) => response(lp));
          const whole = pairsInput(rows);
          const expected = differentiate(loss, whole);
          const parts = list.map((pair) =>
            differentiate(
              loss,
              pairsInput(
                pair.map((lp) => response(lp)),
                countsOf(whole, whole.counts),
              ),
            ),
          );
          expect(parts.reduce((sum, p) => sum + p.loss, 0)).to.be.closeTo(expected.loss, 1e-9);
          const gradient = parts.flatMap((p) => [...p.gradients.logProb!]);
          expected.gradients.logProb!.forEach((x, r) => {
            expect(gradient[r]).to.be.closeTo(x, 1e-9);
          });
        }),
        { seed: 8, numRuns: 10 },
      );
    });
  }

  it("report rewards of both halves and how often the chosen one is ahead", () => {
    const { metrics } = differentiate(
      losses.sigmoid,
      pairsInput([response([-0.5]), response([-2]), response([-3]), response([-1])]),
    );
    expect(metrics["rewards/accuracies"].value).to.equal(0.5);
    expect(metrics["rewards/chosen"].value).to.be.closeTo(0.3 * ((0.5 - 2) / 2), 1e-12);
    expect(metrics["rewards/margins"].value).to.be.closeTo((0.3 * (1.5 - 2)) / 2, 1e-12);
  });

  it("refuse a batch with half a pair", () => {
    expect(() => differentiate(losses.simpo, pairsInput([response([-1])]))).to.throw(/two rows each/);
  });

  it("pair best with worst, and nothing without contrast", () => {
    expect(pairOf([2, 1, 3, 3, 1])).to.deep.equal({ chosen: 2, rejected: 1 });
    expect(pairOf([1, 1])).to.equal(null);
    expect(pairOf([])).to.equal(null);
  });
});
