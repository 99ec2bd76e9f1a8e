import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { runCase, runFolder } from "./run.js";

const folder = fileURLToPath(new URL("../../../test/golden", import.meta.url));

/** Families whose vectors must all pass. */
const covered = [
  "advantages_gae",
  "advantages_gdpo",
  "advantages_group",
  "advantages_otb",
  "advantages_returns",
  "advantages_trainer",
  "agg_loss",
  "dapo",
  "distillation",
  "entropy_logprob",
  "kl",
  "lr_schedule_optimizer",
  "masked_ops",
  "metrics",
  "policy_loss_bypass_mode",
  "policy_loss_cispo",
  "policy_loss_clip_cov",
  "policy_loss_dppo_kl",
  "policy_loss_dppo_tv",
  "policy_loss_dro",
  "policy_loss_geo_mean",
  "policy_loss_gpg",
  "policy_loss_gspo",
  "policy_loss_kl_cov",
  "policy_loss_sapo",
  "policy_loss_vanilla",
  "preference",
  "reward_score",
  "rollout_correction",
  "seqlen_balancing",
  "val_metrics",
  "value_loss",
  "worker_losses",
];

describe("golden vectors", () => {
  for (const family of covered) {
    it(`of ${family} all pass`, () => {
      const { passed, failures } = runFolder(folder, [family]);
      expect(failures).to.deep.equal([]);
      expect(passed).to.be.above(0);
    });
  }

  it("of an unknown family or function fail", () => {
    const tol = { rtol: 0, atol: 0 };
    expect(runCase("nope", { id: "x", fn: "y" }, tol)).to.match(/unknown family/);
    expect(runCase("kl", { id: "x", fn: "y" }, tol)).to.match(/unknown function/);
  });

  it("fail when a number is off, a metric is missing, or an expected error does not come", () => {
    const tol = { rtol: 1e-9, atol: 1e-12 };
    const raw = { id: "x", fn: "ceildiv_roundup", inputs: { a: 7, b: 3 } };
    expect(runCase("seqlen_balancing", { ...raw, outputs: { ceildiv: 3 } }, tol)).to.equal(null);
    expect(runCase("seqlen_balancing", { ...raw, outputs: { ceildiv: 4 } }, tol)).to.match(/expected 4/);
    expect(runCase("seqlen_balancing", { ...raw, metrics: { speed: 1 } }, tol)).to.match(/missing/);
    expect(runCase("seqlen_balancing", { ...raw, error: { type: "ValueError" } }, tol)).to.match(/expected an error/);
  });
});
