import { expect } from "chai";
import fc from "fast-check";
import { RandomStream } from "../../../core/data/random.js";
import { type TokenDistribution, TokenSampler } from "../../../core/rollout/index.js";

const off = { temperature: 1 };
const key = (position: number) => ({ seed: 3, requestId: "r", position });

describe("TokenSampler", () => {
  it("takes the first maximum at temperature 0 and reports its log-probability at temperature 1", () => {
    const logits = Float32Array.of(0, 2, 1, 2);
    const { token, logProb, sampledLogProb } = new TokenSampler(4).draw(logits, { temperature: 0 }, key(0));
    expect(token).to.equal(1);
    expect(logProb).to.be.closeTo(2 - Math.log(1 + 2 * Math.exp(2) + Math.exp(1)), 1e-12);
    expect(sampledLogProb).to.equal(0);
  });

  it("draws tokens as often as their probabilities say", () => {
    const sampler = new TokenSampler(4);
    const logits = Float32Array.from([0.1, 0.2, 0.3, 0.4], Math.log);
    const counts = [0, 0, 0, 0];
    const draws = 20000;
    for (let i = 0; i < draws; i++) counts[sampler.draw(logits, off, key(i)).token]++;
    counts.forEach((count, id) => {
      expect(count / draws).to.be.closeTo((id + 1) / 10, 0.012);
    });
  });

  it("reports log-probabilities under the tempered distribution, before truncation and penalty", () => {
    fc.assert(
      fc.property(anyLogits, anyDistribution, fc.nat(1000), (logits, distribution, position) => {
        const drawn = new TokenSampler(logits.length).draw(logits, distribution, key(position), [0, 1]);
        const expected = Math.log(probabilities(logits, distribution.temperature || 1)[drawn.token]);
        expect(drawn.logProb).to.be.closeTo(expected, 1e-9);
        expect(drawn.logProb).to.be.at.most(0);
      }),
    );
  });

  it("keeps what top-k, top-p and min-p keep when applied by sorting, and renormalises over it", () => {
    fc.assert(
      fc.property(anyLogits, anyDistribution, fc.nat(1000), (logits, distribution, position) => {
        fc.pre(distribution.temperature > 0);
        const drawn = new TokenSampler(logits.length).draw(logits, distribution, key(position));
        const kept = bySorting(logits, distribution);
        expect(kept.has(drawn.token)).to.equal(true);
        expect(drawn.sampledLogProb).to.be.closeTo(Math.log(kept.get(drawn.token) ?? 0), 1e-9);
      }),
      { numRuns: 300 },
    );
  });

  it("reaches every token that survives truncation", () => {
    const logits = Float32Array.from({ length: 50 }, (_, i) => Math.sin(i * 7) * 2);
    const distribution = { temperature: 0.9, topK: 20, topP: 0.8, minP: 0.05 };
    const sampler = new TokenSampler(50);
    const seen = new Set(Array.from({ length: 4000 }, (_, i) => sampler.draw(logits, distribution, key(i)).token));
    expect([...seen].sort()).to.deep.equal([...bySorting(logits, distribution).keys()].sort());
  });

  it("ranks equal logits by the lower id, so that top-k keeps exactly k", () => {
    const sampler = new TokenSampler(6);
    const logits = new Float32Array(6).fill(1);
    const seen = new Set(
      Array.from({ length: 200 }, (_, i) => sampler.draw(logits, { ...off, topK: 2 }, key(i)).token),
    );
    expect([...seen].sort()).to.deep.equal([0, 1]);
  });

  it("makes seen tokens less likely under a repetition penalty, once however often they were seen", () => {
    const sampler = new TokenSampler(3);
    const logits = Float32Array.of(2, -1, 1.5);
    const draw = sampler.draw(logits, { temperature: 0, repetitionPenalty: 2 }, key(0), [0, 0, 1]);
    expect(draw.token).to.equal(2);
    const sampled = sampler.draw(logits, { temperature: 1, repetitionPenalty: 2 }, key(0), [0, 0, 1]);
    const penalised = probabilities(Float32Array.of(1, -2, 1.5), 1);
    expect(sampled.sampledLogProb).to.be.closeTo(Math.log(penalised[sampled.token]), 1e-12);
    expect(sampled.logProb).to.be.closeTo(Math.log(probabilities(logits, 1)[sampled.token]), 1e-12);
  });

  it("gives the same draw for the same key, whatever was drawn before", () => {
    const random = new RandomStream(1, "logits");
    const rows = Array.from({ length: 8 }, () => Float32Array.from({ length: 300 }, () => random.normal() * 3));
    const distribution = { temperature: 0.8, topP: 0.9 };
    const shared = new TokenSampler(300);
    const inOrder = rows.map((row, i) => shared.draw(row, distribution, key(i)));
    const alone = rows.map((row, i) => new TokenSampler(300).draw(row, distribution, key(i)));
    expect(inOrder).to.deep.equal(alone);
  });

  it("gives tokens of −∞ no chance", () => {
    const logits = Float32Array.of(-Infinity, 0, -Infinity, 0);
    const sampler = new TokenSampler(4);
    for (let i = 0; i < 50; i++) expect([1, 3]).to.include(sampler.draw(logits, off, key(i)).token);
  });

  it("refuses logits that are not numbers, with the place", () => {
    for (const bad of [Number.NaN, Infinity]) {
      const draw = () => new TokenSampler(3).draw(Float32Array.of(0, bad, 1), off, key(5));
      expect(draw).to.throw(/VERL_ROLLOUT_BAD_LOGITS.*\n.*request r, position 5/);
    }
    expect(() => new TokenSampler(2).draw(Float32Array.of(-Infinity, -Infinity), off, key(0))).to.throw(/BAD_LOGITS/);
  });
});

const anyLogits = fc
  .array(fc.integer({ min: -240, max: 240 }), { minLength: 2, maxLength: 40 })
  .map((xs) => Float32Array.from(xs, (x) => x / 8));

const anyDistribution: fc.Arbitrary<TokenDistribution> = fc.record({
  temperature: fc.constantFrom(0, 0.3, 0.7, 1, 2),
  topK: fc.constantFrom(-1, 0, 1, 3, 10, 1000),
  topP: fc.constantFrom(1, 0.951, 0.513, 0.011),
  minP: fc.constantFrom(0, 0.05, 0.5, 1),
});

function probabilities(logits: Float32Array, temperature: number): number[] {
  const max = Math.max(...logits);
  const weights = Array.from(logits, (x) => Math.exp((x - max) / temperature));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((w) => w / sum);
}

/** Token → probability, by the definitions. */
function bySorting(logits: Float32Array, { temperature, topK = -1, topP = 1, minP = 0 }: TokenDistribution) {
  const p = probabilities(logits, temperature);
  let ids = p.map((_, id) => id).sort((a, b) => logits[b] - logits[a] || a - b);
  if (topK > 0) ids = ids.slice(0, topK);
  const mass = ids.reduce((sum, id) => sum + p[id], 0);
  let before = 0;
  ids = ids.filter((id, rank) => {
    const inside = rank === 0 || topP >= 1 || before < topP * mass;
    before += p[id];
    return inside;
  });
  ids = ids.filter((id, rank) => rank === 0 || (p[id] > 0 && p[id] >= minP * p[ids[0]]));
  const rest = ids.reduce((sum, id) => sum + p[id], 0);
  return new Map(ids.map((id) => [id, p[id] / rest]));
}
