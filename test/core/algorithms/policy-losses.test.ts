import { expect } from "chai";
import fc from "fast-check";
import type { PolicyLossConfig } from "../../../core/algorithms/advantage.js";
import type { AnyLoss, LossFunction } from "../../../core/algorithms/algebra.js";
import { countsOf } from "../../../core/algorithms/counts.js";
import { builtinPolicyLosses, evaluateLoss } from "../../../core/algorithms/index.js";
import { bypassModeLoss } from "../../../core/algorithms/losses/bypass-mode.js";
import { clipCovLoss } from "../../../core/algorithms/losses/clip-cov.js";
import { differentiate } from "../../../core/algorithms/tape.js";
import { lossInputOf, policyConfig, type RowFixture } from "./fixtures.js";

const extra = {
  dro_beta: 0.5,
  clip_cov_ratio: 0.3,
  clip_cov_lb: -9,
  clip_cov_ub: 9,
  kl_cov_ratio: 0.3,
  rollout_correction: { rollout_is: "token", rollout_rs: "token_k1", rollout_rs_threshold: 3, loss_type: "reinforce" },
};
const config = (part: Partial<PolicyLossConfig> = {}) => policyConfig({ extra, ...part });
const make = (name: string, part?: Partial<PolicyLossConfig>): AnyLoss => {
  const found = builtinPolicyLosses.find((loss) => loss.name === name);
  if (!found) throw new Error(name);
  return found.create(config(part));
};
const names = builtinPolicyLosses.map((loss) => loss.name);
const splittable = names.filter((name) => make(name).scope !== "miniBatch");

const row = fc.integer({ min: 1, max: 5 }).chain((length) => {
  const list = (arb: fc.Arbitrary<number>) => fc.array(arb, { minLength: length, maxLength: length });
  const lp = list(fc.double({ min: -2.5, max: -0.05, noNaN: true }));
  return fc
    .record({
      mask: list(fc.constantFrom(0, 1, 1)),
      logProb: lp,
      old: lp,
      advantages: list(fc.double({ min: -2, max: 2, noNaN: true })),
      weights: list(fc.double({ min: 0.2, max: 2, noNaN: true })),
    })
    .map(
      (r): RowFixture => ({
        mask: r.mask,
        outputs: { logProb: r.logProb },
        columns: { oldLogProb: r.old, advantages: r.advantages, rolloutIsWeights: r.weights },
      }),
    );
});
const rows = fc.array(row, { minLength: 1, maxLength: 6 });

describe("policy losses", () => {
  for (const name of splittable) {
    it(`${name}: loss and gradient do not depend on micro-batches and ranks`, () => {
      const loss = make(name, { hasRolloutIsWeights: true, lossAggMode: "seq-mean-token-mean" }) as LossFunction;
      fc.assert(
        fc.property(rows, fc.constantFrom(1, 2), (all, ranks) => {
          const whole = lossInputOf(all);
          const expected = differentiate(loss, whole);
          const counts = countsOf(whole, { ...whole.counts, dpSize: ranks });
          const parts = all.map((one) => differentiate(loss, lossInputOf([one], counts)));
          const total = parts.reduce((sum, part) => sum + part.loss / ranks, 0);
          expect(total).to.be.closeTo(expected.loss, 1e-9 * (1 + Math.abs(expected.loss)));
          const gradient = parts.flatMap((part) => Array.from(part.gradients.logProb!, (x) => x / ranks));
          expected.gradients.logProb!.forEach((x, r) => {
            expect(gradient[r]).to.be.closeTo(x, 1e-9 * (1 + Math.abs(x)));
          });
        }),
        { seed: 5, numRuns: 12 },
      );
    });
  }

  for (const name of names) {
    it(`${name}: T19, without any valid token the loss is 0 and so are its gradients`, () => {
      const empty: RowFixture = {
        mask: [0, 0],
        outputs: { logProb: [-1, -2] },
        columns: { oldLogProb: [-1, -1], advantages: [1, -1], rolloutIsWeights: [1, 1] },
      };
      const result = evaluateLoss(make(name), lossInputOf([empty, empty]));
      expect(result.loss).to.be.closeTo(0, 0);
      for (const x of result.gradients.logProb!) expect(x).to.be.closeTo(0, 0);
    });
  }

  it("refuse settings outside their range when they are made", () => {
    expect(() => make("dro", { extra: {} })).to.throw(/dro_beta/);
    expect(() => make("clip_cov", { extra: { clip_cov_ratio: 0 } })).to.throw(/clip_cov_ratio/);
    expect(() => make("bypass_mode", { extra: { rollout_correction: { loss_type: "x" } } })).to.throw(/loss_type/);
  });
});

const token = (lp: number, old: number, a: number): RowFixture => ({
  mask: [1],
  outputs: { logProb: [lp] },
  columns: { oldLogProb: [old], advantages: [a] },
});

describe("clip_cov", () => {
  it("drops the same tokens for the same batch, as many as the ratio says", () => {
    const input = lossInputOf(Array.from({ length: 20 }, (_, i) => token(-1 - i / 50, -1 - i / 50, i % 3)));
    const loss = clipCovLoss(config({ extra: { clip_cov_ratio: 0.25, clip_cov_lb: -9, clip_cov_ub: 9 } }));
    const [a, b] = [loss.compute(input), loss.compute(input)];
    expect(a).to.deep.equal(b);
    expect(a.metrics["actor/pg_clipfrac"].value).to.be.closeTo(0.25, 1e-12);
  });
});

describe("bypass_mode", () => {
  const section = { rollout_rs: "token_k1", rollout_rs_threshold: 2, loss_type: "reinforce" };
  const input = lossInputOf([token(-1, -1, 1), token(-1, -1, 1), token(-1, -4, 1)]);

  it("takes rejected tokens out of numerator and denominator", () => {
    const result = bypassModeLoss(config({ extra: { rollout_correction: section } })).compute(input);
    expect(result.loss).to.be.closeTo(1, 1e-12);
    expect([...result.gradients.logProb!]).to.deep.equal([-0.5, -0.5, 0]);
    expect(result.metrics["rollout_corr/rollout_rs_masked_fraction"].value).to.be.closeTo(1 / 3, 1e-12);
  });

  it("keeps them in the denominator under the reference's name", () => {
    const counted = { ...section, count_rejected_tokens: true };
    const result = bypassModeLoss(config({ extra: { rollout_correction: counted } })).compute(input);
    expect(result.loss).to.be.closeTo(2 / 3, 1e-12);
  });
});
