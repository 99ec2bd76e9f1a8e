import { expect } from "chai";
import { adamwStep, createAdamWState } from "../../../core/algorithms/adamw.js";
import { clipScale, gradNorm } from "../../../core/algorithms/clip-grad-norm.js";
import { type LrSchedule, lrMultiplier } from "../../../core/algorithms/lr-schedule.js";

const schedule = (part: Partial<LrSchedule>): LrSchedule => ({
  type: "constant",
  warmupSteps: 0,
  totalSteps: 10,
  minLrRatio: 0,
  numCycles: 0.5,
  ...part,
});

describe("learning-rate schedules", () => {
  it("warm up linearly from 0 and then stay", () => {
    const s = schedule({ warmupSteps: 4 });
    expect([0, 1, 2, 3, 4, 50].map((t) => lrMultiplier(s, t))).to.deep.equal([0, 0.25, 0.5, 0.75, 1, 1]);
  });

  it("fall along a cosine to the floor at the horizon", () => {
    const s = schedule({ type: "cosine", minLrRatio: 0.1 });
    expect(lrMultiplier(s, 0)).to.equal(1);
    expect(lrMultiplier(s, 5)).to.be.closeTo(0.55, 1e-12);
    expect(lrMultiplier(s, 10)).to.be.closeTo(0.1, 1e-12);
  });

  it("hold, then decay, then keep the floor (wsd)", () => {
    const s = schedule({ type: "wsd", totalSteps: 20, stableSteps: 10, minLrRatio: 0.2 });
    expect(lrMultiplier(s, 9)).to.equal(1);
    expect(lrMultiplier(s, 15)).to.be.closeTo(0.6, 1e-12);
    expect(lrMultiplier(s, 100)).to.equal(0.2);
  });

  it("refuse a floor outside 0..1", () => {
    expect(() => lrMultiplier(schedule({ type: "cosine", minLrRatio: 1.5 }), 3)).to.throw(/min_lr_ratio/);
  });
});

describe("AdamW and clipping", () => {
  it("move the first step by lr against the gradient's sign, whatever its size", () => {
    const p = Float64Array.of(1, 1, 1);
    adamwStep(p, [3, -0.01, 0], createAdamWState(3), { lr: 0.1, betas: [0.9, 0.999], eps: 1e-12, weightDecay: 0 });
    expect(p[0]).to.be.closeTo(0.9, 1e-9);
    expect(p[1]).to.be.closeTo(1.1, 1e-9);
    expect(p[2]).to.equal(1);
  });

  it("decay weights apart from the gradient", () => {
    const p = Float64Array.of(2);
    adamwStep(p, [0], createAdamWState(1), { lr: 0.1, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.5 });
    expect(p[0]).to.be.closeTo(1.9, 1e-12);
  });

  it("scale by the global norm only when it exceeds the bound", () => {
    const norm = gradNorm([[3, 0], null, [4]]);
    expect(norm).to.equal(5);
    expect(clipScale(norm, 1)).to.be.closeTo(0.2, 1e-6);
    expect(clipScale(norm, 10)).to.equal(1);
    expect(clipScale(norm, 0)).to.equal(1);
  });
});
