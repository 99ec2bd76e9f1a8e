import { expect } from "chai";
import { inspectConfig } from "../../../../core/config/index.js";
import { compose } from "../support.js";

const findings = async (overrides: string[]) => {
  const { problems, notices } = await inspectConfig(await compose(overrides));
  return {
    problems: problems.map(({ code, key }) => `${code} ${key}`),
    notices: notices.map(({ message }) => message),
  };
};

describe("core/config/rules/unavailable-rules", () => {
  for (const [override, problem] of [
    ["data.truncation=middle", "UNSUPPORTED data.truncation"],
    ["+actor_rollout_ref.model.override_config.rope_theta=1", "UNSUPPORTED actor_rollout_ref.model.override_config"],
    [
      "actor_rollout_ref.rollout.checkpoint_engine.backend=nccl",
      "UNSUPPORTED actor_rollout_ref.rollout.checkpoint_engine.backend",
    ],
    [
      "actor_rollout_ref.actor.policy_loss.loss_mode=bypass_mode",
      "CONFLICT actor_rollout_ref.actor.policy_loss.loss_mode",
    ],
    ["algorithm.rollout_correction.loss_type=reinforce", "CONFLICT algorithm.rollout_correction.loss_type"],
    ["algorithm.adv_estimator=gdpo", "CONFLICT algorithm.gdpo_reward_keys"],
  ]) {
    it(`refuses ${override}, which would not do what it says`, async () => {
      expect((await findings([override])).problems).to.deep.equal([`VERL_CONFIG_${problem}`]);
    });
  }

  it("says that multi_turn.enable alone starts no loop with several turns", async () => {
    const enable = "actor_rollout_ref.rollout.multi_turn.enable=true";
    expect(await findings([enable])).to.deep.equal({
      problems: [],
      notices: [
        "actor_rollout_ref.rollout.multi_turn.enable has no effect: rows without agent_name run single_turn_agent; set actor_rollout_ref.rollout.agent.default_agent_loop to tool_agent.",
      ],
    });
    const loop = "actor_rollout_ref.rollout.agent.default_agent_loop=tool_agent";
    expect(await findings([enable, loop])).to.deep.equal({ problems: [], notices: [] });
  });

  it("refuses a policy loss that bypass mode would replace", async () => {
    const bypass = "algorithm.rollout_correction.bypass_mode=true";
    expect((await findings([bypass, "actor_rollout_ref.actor.policy_loss.loss_mode=gspo"])).problems).to.deep.equal([
      "VERL_CONFIG_CONFLICT actor_rollout_ref.actor.policy_loss.loss_mode",
    ]);
    expect((await findings([bypass])).problems).to.deep.equal([]);
  });

  it("says once what has no effect", async () => {
    const { problems, notices } = await findings([
      "critic.cliprange_value=0.2",
      "critic.optim.lr=1e-4",
      "trainer.max_critic_ckpt_to_keep=1",
      "data.gen_batch_size=8",
      "reward.num_workers=8",
      "+actor_rollout_ref.rollout.checkpoint_engine.engine_kwargs.nccl.group_name=x",
      "+trainer.v1.sync.speed=9",
    ]);
    expect(problems).to.deep.equal([]);
    expect(notices).to.deep.equal([
      "critic.cliprange_value and 1 more of critic have no effect: no critic is trained.",
      "trainer.max_critic_ckpt_to_keep has no effect: no critic is trained.",
      "data.gen_batch_size has no effect: all prompts of a step are handed to the rollout at once.",
      "actor_rollout_ref.rollout.checkpoint_engine.engine_kwargs has no effect: copying in memory has no options.",
      "trainer.v1.sync has no effect: the mode has no options.",
      "reward.num_workers has no effect: the reward manager is naive, not remote.",
    ]);
  });

  it("says nothing about defaults", async () => {
    expect(await findings([])).to.deep.equal({ problems: [], notices: [] });
  });
});
