import { expect } from "chai";
import { inspectConfig } from "../../../../core/config/index.js";
import { compose } from "../support.js";

const ROLLOUT = "actor_rollout_ref.rollout";

describe("core/config/rules/count-rules", () => {
  const problems = async (...overrides: string[]) =>
    (await inspectConfig(await compose(overrides), { forTraining: false })).problems;

  for (const key of [
    `${ROLLOUT}.n`,
    `${ROLLOUT}.val_kwargs.n`,
    `${ROLLOUT}.max_num_seqs`,
    `${ROLLOUT}.max_model_len`,
    `${ROLLOUT}.agent.num_workers`,
    "data.train_batch_size",
    "data.gen_batch_size",
    "data.val_batch_size",
    "data.max_response_length",
    "trainer.n_gpus_per_node",
    "trainer.threads",
    "reward.num_workers",
    "algorithm.filter_groups.max_inflight_gen_batches",
    "actor_rollout_ref.actor.optim.muon.iterations",
  ]) {
    it(`refuses ${key}=1e9, and says that it may be a typing error`, async () => {
      const found = (await problems(`${key}=1e9`)).filter((problem) => problem.key === key);
      expect(found.map(({ code }) => code)).to.deep.equal(["VERL_CONFIG_TYPE"]);
      expect(found[0].what).to.match(/whole number >= \d and <= \d+/);
      expect(found[0].why).to.include("typing errors");
    });
  }

  it("bounds prompts with their samples", async () => {
    const [problem, ...others] = await problems("data.train_batch_size=2048", `${ROLLOUT}.n=1024`);
    expect(others).to.deep.equal([]);
    expect(problem).to.include({ code: "VERL_CONFIG_SIZES", key: `${ROLLOUT}.n` });
    expect(problem.what).to.include("= 2097152 trajectories, and at most 1048576");
    expect(problem.fix).to.include(`Set ${ROLLOUT}.n to 512 or less, or data.train_batch_size to 1024 or less.`);
    expect(await problems("data.train_batch_size=1024", `${ROLLOUT}.n=1024`)).to.deep.equal([]);
    const validation = await problems("data.val_batch_size=1024", `${ROLLOUT}.val_kwargs.n=10000`);
    expect(validation.map(({ key }) => key)).to.deep.equal([`${ROLLOUT}.val_kwargs.n`]);
  });

  it("says nothing of bounds where a count is none", async () => {
    const [problem] = await problems(`${ROLLOUT}.n=0`);
    expect(problem.why).to.equal(undefined);
  });
});
