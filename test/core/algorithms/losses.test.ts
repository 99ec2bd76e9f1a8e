import { expect } from "chai";
import fc from "fast-check";
import { aggLoss, LOSS_AGG_MODES } from "../../../core/algorithms/agg-loss.js";
import type { LossFunction, OpaqueLoss } from "../../../core/algorithms/algebra.js";
import { countsOf } from "../../../core/algorithms/counts.js";
import { actorLoss } from "../../../core/algorithms/losses/actor.js";
import { sftLoss } from "../../../core/algorithms/losses/sft.js";
import { vanillaLoss } from "../../../core/algorithms/losses/vanilla.js";
import { differentiate, evaluateLoss } from "../../../core/algorithms/tape.js";
import { lossInputOf, policyConfig, type RowFixture } from "./fixtures.js";

const row = (mask: number[], logProb: number[], more: Record<string, number[]> = {}): RowFixture => ({
  mask,
  outputs: { logProb, entropy: logProb.map((x) => 1 - x) },
  columns: {
    advantages: mask.map((_, i) => (i % 2 ? -1 : 1)),
    oldLogProb: logProb.map((x) => x - 0.1),
    refLogProb: logProb.map((x) => x + 0.2),
    ...more,
  },
});

const rows = fc.array(
  fc.integer({ min: 1, max: 5 }).chain((length) => {
    const list = (arb: fc.Arbitrary<number>) => fc.array(arb, { minLength: length, maxLength: length });
    const real = fc.double({ min: -3, max: 3, noNaN: true });
    return fc
      .record({ mask: list(fc.constantFrom(0, 1, 1)), lp: list(real), old: list(real), a: list(real), ref: list(real) })
      .map(
        ({ mask, lp, old, a, ref }): RowFixture => ({
          mask,
          outputs: { logProb: lp, entropy: lp.map((x) => x * x) },
          columns: { oldLogProb: old, advantages: a, refLogProb: ref },
        }),
      );
  }),
  { minLength: 1, maxLength: 8 },
);

const loss = (build: LossFunction["build"]) => ({ build });

describe("loss aggregation", () => {
  for (const mode of LOSS_AGG_MODES) {
    it(`T19: ${mode} of a batch without valid tokens is 0 with gradients 0`, () => {
      const input = lossInputOf([row([0, 0], [5, Number.NaN]), row([0], [7])]);
      const result = differentiate(
        loss((g) => ({ loss: aggLoss(g, g.output("logProb"), mode), metrics: {} })),
        input,
      );
      expect(result.loss).to.equal(0);
      expect([...result.gradients.logProb!]).to.deep.equal([0, 0, 0]);
    });
  }

  it("T20: a masked row leaves numerator and denominator of token-mean", () => {
    const input = lossInputOf([row([1, 1], [1, 1]), row([0, 0], [1, 1])]);
    const { loss: value } = differentiate(
      loss((g) => ({ loss: aggLoss(g, g.output("logProb"), "token-mean"), metrics: {} })),
      input,
    );
    expect(value).to.equal(1);
  });

  it("row 33: does not depend on how the batch is cut into micro-batches and ranks", () => {
    fc.assert(
      fc.property(rows, fc.constantFrom(...LOSS_AGG_MODES), fc.integer({ min: 1, max: 3 }), (all, mode, ranks) => {
        const actor = actorLoss({
          policyLoss: vanillaLoss(policyConfig({ lossAggMode: mode })),
          lossAggMode: mode,
          entropyCoeff: 0.1,
          kl: { coef: 0.2, type: "k3+" },
        }) as LossFunction;
        const whole = lossInputOf(all);
        const expected = differentiate(actor, whole);
        const counts = countsOf(whole, { ...whole.counts, dpSize: ranks });
        let total = 0;
        const gradient: number[] = [];
        const metric = { "actor/pg_loss": 0, kl_loss: 0 };
        all.forEach((one) => {
          const part = differentiate(actor, lossInputOf([one], counts));
          total += part.loss / ranks;
          gradient.push(...Array.from(part.gradients.logProb!, (x) => x / ranks));
          for (const name of ["actor/pg_loss", "kl_loss"] as const) metric[name] += part.metrics[name].value / ranks;
        });
        expect(total).to.be.closeTo(expected.loss, 1e-8 * (1 + Math.abs(expected.loss)));
        expected.gradients.logProb!.forEach((x, i) => {
          expect(gradient[i]).to.be.closeTo(x, 1e-8 * (1 + Math.abs(x)));
        });
        for (const name of ["actor/pg_loss", "kl_loss"] as const) {
          expect(metric[name]).to.be.closeTo(expected.metrics[name].value, 1e-6);
        }
      }),
      { seed: 3, numRuns: 20 },
    );
  });

  it("asks for global counts where several ranks share the batch", () => {
    const batch = { responseOffsets: Int32Array.of(0, 1), responseMask: [1] };
    expect(() => countsOf(batch, { dpSize: 2 })).to.throw(/global token and sequence counts/);
    expect(countsOf(batch, { dpSize: 2, batchNumTokens: 4, globalBatchSize: 3 }).batchNumTokens).to.equal(4);
  });
});

describe("the actor's loss", () => {
  const input = lossInputOf([row([1, 1, 0], [-1, -2, Number.NaN]), row([1], [-0.5])]);
  const base = { lossAggMode: "token-mean" as const, kl: { coef: 0.5, type: "k2" }, entropyCoeff: 0.3 };

  it("adds entropy and KL with their coefficients and reports every part", () => {
    const result = evaluateLoss(actorLoss({ ...base, policyLoss: vanillaLoss(policyConfig()) }), input);
    const m = result.metrics;
    expect(result.loss).to.be.closeTo(
      m["actor/pg_loss"].value - 0.3 * m["actor/entropy_loss"].value + 0.5 * m.kl_loss.value,
      1e-12,
    );
    expect(m.kl_loss.value).to.be.closeTo(0.5 * 0.2 ** 2, 1e-12);
    expect(m["actor/pg_loss"].reduction).to.equal("sum");
    expect(m["actor/pg_clipfrac"].reduction).to.equal("mean");
  });

  it("is the same over an opaque policy loss", () => {
    const inner = vanillaLoss(policyConfig());
    const opaque: OpaqueLoss = {
      kind: "opaque",
      name: "mine",
      scope: "token",
      outputs: ["logProb"],
      compute: (x) => evaluateLoss(inner, x),
    };
    const [a, b] = [inner, opaque].map((policyLoss) => evaluateLoss(actorLoss({ ...base, policyLoss }), input));
    expect(b.loss).to.be.closeTo(a.loss, 1e-9);
    a.gradients.logProb!.forEach((x, i) => {
      expect(b.gradients.logProb![i]).to.be.closeTo(x, 1e-6);
    });
    expect(Object.keys(b.metrics).sort()).to.deep.equal(Object.keys(a.metrics).sort());
  });

  it("leaves out what is switched off, and says what it needs", () => {
    const bare = actorLoss({ ...base, kl: null, entropyCoeff: 0, policyLoss: vanillaLoss(policyConfig()) });
    expect(bare.outputs).to.deep.equal(["logProb"]);
    const full = actorLoss({ ...base, policyLoss: vanillaLoss(policyConfig()) }) as LossFunction;
    expect(full.outputs).to.deep.equal(["logProb", "entropy"]);
    expect(full.columns).to.deep.equal(["advantages", "oldLogProb", "refLogProb"]);
  });

  it("refuses unknown KL names and a dual clip of 1 when it is made", () => {
    const policyLoss = vanillaLoss(policyConfig());
    expect(() => actorLoss({ ...base, policyLoss, kl: { coef: 1, type: "full" } })).to.throw(/whole vocabulary/);
    expect(() => vanillaLoss(policyConfig({ clipRatioC: 1 }))).to.throw(/above 1/);
  });

  it("distinguishes losses by their settings in the key", () => {
    const key = (part: object) =>
      (actorLoss({ ...base, policyLoss: vanillaLoss(policyConfig(part)) }) as LossFunction).key;
    expect(key({})).to.equal(key({}));
    expect(key({ clipRatioHigh: 0.28 })).to.not.equal(key({}));
  });
});

describe("the supervised loss", () => {
  it("weighs every token the same over the global batch", () => {
    const input = lossInputOf([row([1, 1, 1], [-1, -2, -3]), row([0, 1], [-9, -4])]);
    const { loss: value, gradients } = differentiate(sftLoss(), input);
    expect(value).to.equal(2.5);
    expect([...gradients.logProb!]).to.deep.equal([-0.25, -0.25, -0.25, 0, -0.25]);
  });
});
