import { expect } from "chai";
import { ROLLOUT_CORRECTION_OFF, rolloutCorrectionConfig } from "../../../core/algorithms/rollout-correction/config.js";
import { correctRollout } from "../../../core/algorithms/rollout-correction/correct.js";
import { probabilityDrift } from "../../../core/algorithms/rollout-correction/off-policy-metrics.js";
import {
  ROLLOUT_CORRECTION_PRESETS,
  rolloutCorrectionPreset,
} from "../../../core/algorithms/rollout-correction/presets.js";

/** Two rows of two tokens; the second row drifted by ln 3 per token. */
const pair = {
  logProb: [-1, -1, -1, -1],
  rolloutLogProb: [-1, -1, -1 - Math.log(3), -1 - Math.log(3)],
  responseMask: [1, 1, 1, 1],
  responseOffsets: Int32Array.of(0, 2, 4),
};
const correct = (section: Record<string, unknown>) => correctRollout(pair, rolloutCorrectionConfig(section));

describe("rollout correction", () => {
  it("is exactly neutral when sampler and trainer agree", () => {
    const same = { ...pair, rolloutLogProb: pair.logProb };
    for (const name of ROLLOUT_CORRECTION_PRESETS) {
      const { weights, responseMask, metrics } = correctRollout(same, rolloutCorrectionPreset(name));
      expect([...(weights ?? [1, 1, 1, 1])]).to.deep.equal([1, 1, 1, 1]);
      expect([...responseMask]).to.deep.equal([1, 1, 1, 1]);
      expect(metrics["rollout_corr/kl"]).to.be.closeTo(0, 0);
    }
  });

  it("truncates token and sequence weights at the threshold", () => {
    expect([...correct({ rollout_is: "token", rollout_is_threshold: 2 }).weights!]).to.deep.equal([1, 1, 2, 2]);
    const sequence = correct({ rollout_is: "sequence", rollout_is_threshold: 100 }).weights!;
    expect(sequence[2]).to.be.closeTo(9, 1e-9);
    expect(sequence[0]).to.equal(1);
  });

  it("zeroes what lies outside two bounds and leaves the mask alone (IcePop)", () => {
    const { weights, responseMask } = correct({ rollout_is: "token", rollout_is_threshold: "0.5_2.0" });
    expect([...weights!]).to.deep.equal([1, 1, 0, 0]);
    expect([...responseMask]).to.deep.equal([1, 1, 1, 1]);
  });

  it("reports an effective sample size of 0 when every weight is zeroed", () => {
    const far = { ...pair, rolloutLogProb: pair.logProb.map((x) => x - 5) };
    const { metrics } = correctRollout(far, {
      ...ROLLOUT_CORRECTION_OFF,
      rolloutIs: "token",
      rolloutIsThreshold: "0.9_1.1",
    });
    expect(metrics["rollout_corr/rollout_is_eff_sample_size"]).to.equal(0);
  });

  it("rejects tokens or whole rows, and all options must pass", () => {
    const perToken = correct({ rollout_rs: "token_k1", rollout_rs_threshold: "0.5_2.0" });
    expect([...perToken.responseMask]).to.deep.equal([1, 1, 0, 0]);
    const never = correct({ rollout_rs: "seq_mean_k1, token_k3", rollout_rs_threshold: "0.1_10,0.0001" });
    expect([...never.responseMask]).to.deep.equal([1, 1, 0, 0]);
    expect(never.metrics["rollout_corr/rollout_rs_seq_masked_fraction"]).to.equal(0.5);
  });

  it("says what is wrong with a threshold or an option", () => {
    expect(() => correct({ rollout_is: "token", rollout_is_threshold: "5_0.5" })).to.throw(/above the upper/);
    expect(() => correct({ rollout_rs: "token_k9", rollout_rs_threshold: 2 })).to.throw(/token_k9/);
    expect(() => correct({ rollout_rs: "token_k1" })).to.throw(/threshold for every option/);
    expect(() => correct({ rollout_rs: "token_k2", rollout_rs_threshold: "1_2" })).to.throw(/one upper bound/);
    expect(() => rolloutCorrectionPreset("decoupled_everything")).to.throw(/decoupled_token_is/);
    expect(() => correctRollout({ ...pair, responseMask: [0, 0, 0, 0] }, ROLLOUT_CORRECTION_OFF)).to.throw(
      /TOO_FEW_TOKENS/,
    );
  });

  it("measures the drift of probabilities, and says when there is nothing to measure", () => {
    const drift = probabilityDrift(pair);
    expect(drift["training/rollout_probs_diff_max"]).to.be.closeTo(Math.exp(-1) * (1 - 1 / 3), 1e-12);
    expect(probabilityDrift({ ...pair, responseMask: [0, 0, 0, 0] })["training/rollout_probs_diff_valid"]).to.equal(0);
  });
});
