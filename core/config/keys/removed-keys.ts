import { inVerl } from "./deprecation.js";
import { ACTOR, type KnownKey, MODEL, modelOption, REF, ROLLOUT, removed, serverOption } from "./known-key.js";

/** Keys that verl has had and gave up: those that nobody should write any more. */
export const removedKeys: readonly KnownKey[] = [
  ...removed(inVerl("2026-03", "verl#5604"), {
    "trainer.use_legacy_worker_impl": { verl: "auto", note: "there is one implementation of the workers" },
  }),
  ...removed(inVerl("2026-02", "verl#5255"), {
    "reward.reward_model.use_reward_loop": { verl: null, note: "every trajectory is scored as it ends" },
  }),
  ...removed(inVerl("2025 or 2026"), {
    [`${ROLLOUT}.skip_rollout`]: {
      verl: false,
      note: "replay of dumped rollouts is not available; `verl debug train --data` trains on recorded ones",
      allowed: [false, null],
    },
    [`${ROLLOUT}.skip_dump_dir`]: { verl: null, note: "it belonged to skip_rollout" },
    [`${ROLLOUT}.use_fire_sampling`]: { verl: false, note: "that sampling is not available", allowed: [false, null] },
    [`${ROLLOUT}.cudagraph_capture_sizes`]: { verl: null, note: serverOption },
    [`${MODEL}.return_last_hidden_state`]: { verl: false, note: modelOption },
    [`${MODEL}.use_fused_loss`]: { verl: false, note: modelOption },
    [`${REF}.model`]: {
      verl: null,
      note: "the reference policy is the model that training begins with",
      allowed: [null],
    },
  }),
  ...removed(inVerl("2025-12", "verl#4511"), {
    "algorithm.rollout_correction.use_policy_gradient": {
      verl: false,
      note: "loss_type: reinforce says the same",
      instead: "algorithm.rollout_correction.loss_type",
      allowed: [false, null],
    },
  }),
  ...removed(inVerl("2025-11", "verl#3984"), {
    "algorithm.rollout_is": {
      verl: false,
      note: "the correction has a section of its own, and names its level, as in rollout_is: token",
      instead: "algorithm.rollout_correction.rollout_is",
      allowed: [false, null],
    },
    "algorithm.rollout_is_threshold": {
      verl: null,
      note: "the correction has a section of its own",
      instead: "algorithm.rollout_correction.rollout_is_threshold",
      allowed: [null],
    },
    ...Object.fromEntries(
      ["threshold_lower", "level", "mode", "veto_threshold"].map((name) => [
        `algorithm.rollout_is_${name}`,
        { verl: null, note: "it belonged to rollout_is", instead: "algorithm.rollout_correction" },
      ]),
    ),
  }),
  ...removed(inVerl("2025-10", "verl#3694"), {
    [`${ACTOR}.tis_imp_ratio_cap`]: {
      verl: -1,
      note: "the correction has a section of its own: rollout_is: token with this threshold",
      instead: "algorithm.rollout_correction.rollout_is_threshold",
      allowed: [-1, null],
    },
  }),
  ...removed(inVerl("2025-08", "verl#2894"), {
    ...Object.fromEntries(
      ["profile_steps", "controller_nsight_options", "worker_nsight_options", "npu_profile"].map((name) => [
        `trainer.${name}`,
        { verl: null, note: "`verl profile` says where the time goes" },
      ]),
    ),
  }),
  ...removed(inVerl("2025-07", "verl#2725"), {
    [`${ROLLOUT}.chat_scheduler`]: {
      verl: null,
      note: "agent loops took its place",
      instead: `${ROLLOUT}.agent.agent_loop_config_path`,
      allowed: [null],
    },
    [`${ROLLOUT}.multi_turn.completion_callback`]: {
      verl: null,
      note: "agent loops took its place",
      instead: `${ROLLOUT}.agent.agent_loop_config_path`,
      allowed: [null],
    },
  }),
];
