import { defineErrors } from "../host/errors.js";

export const trainerErrors = defineErrors({
  VERL_TRAINER_CHECKPOINT_BAD: {
    summary: "A checkpoint is missing, incomplete or unreadable",
    fix: "name another checkpoint with trainer.resume_from_path, or start over with trainer.resume_mode=disable",
  },
  VERL_TRAINER_CHECKPOINT_WRITE: {
    summary: "A checkpoint could not be written; earlier checkpoints are untouched",
    fix: "free disk space or choose another trainer.default_local_dir",
  },
  VERL_TRAINER_FOLDER_UNUSABLE: {
    summary: "The run's folder cannot be made or written to",
    fix: "set trainer.default_local_dir to a folder that may be written to",
  },
  VERL_TRAINER_FOLDER_IN_USE: {
    summary: "Another run is writing to this folder",
    fix: "stop that run, or set trainer.experiment_name or trainer.default_local_dir",
  },
  VERL_TRAINER_RESUME_MISMATCH: {
    summary: "A checkpoint does not fit the configuration that resumes it",
    fix: "use the configuration that wrote the checkpoint, or start over with trainer.resume_mode=disable",
  },
  VERL_TRAINER_NO_TRAINABLE: {
    summary: "A step has no tokens to train on",
  },
  VERL_TRAINER_DIVERGED: {
    summary: "Training has destroyed the model: its outputs, losses or gradients are no numbers any more",
    fix: "lower the learning rate (actor_rollout_ref.actor.optim.lr, critic.optim.lr) and look at the size of rewards and losses; no checkpoint was written of this state, so the run goes on from an earlier one",
  },
  VERL_TRAINER_NO_LOG_PROBS: {
    summary: "Trajectories carry no log-probabilities of the sampler",
    fix: "set actor_rollout_ref.rollout.calculate_log_probs=true and use a rollout that reports them",
  },
  VERL_TRAINER_STALE_WEIGHTS: {
    summary: "A trajectory was sampled by other weights than the run pushed",
    fix: "an agent loop or manager of yours takes both versions from the server's outputs; else this is a fault of the rollout's server adapter, to be reported to its author",
  },
  VERL_TRAINER_METRIC_EXISTS: {
    summary: "A hook added a metric under a name that is taken",
    fix: "choose a name with a prefix of your own",
  },
  VERL_TRAINER_ENGINE_UNFIT: {
    summary: "The chosen engine cannot do what this run needs",
  },
  VERL_TRAINER_ESTIMATOR_FAILED: {
    summary: "An advantage estimator failed, or what it gave has the wrong shape or is not finite",
    fix: "correct the estimator, or the rewards and values that it was given; algorithm.adv_estimator chooses another",
  },
  VERL_TRAINER_NEEDS_UNMET: {
    summary: "An advantage estimator needs inputs that this run does not have",
    fix: "choose another algorithm.adv_estimator, e.g. grpo",
  },
  VERL_TRAINER_NO_MODEL: {
    summary: "No model, or no tokenizer, is named",
    fix: "set actor_rollout_ref.model.path to a Hugging Face folder or a GGUF file",
  },
  VERL_TRAINER_TOKENIZER_TOO_LARGE: {
    summary: "The tokenizer has ids that the model has no embedding for",
    fix: "use the tokenizer that belongs to the model (actor_rollout_ref.model.tokenizer_path), or a model with larger embeddings (vocab_size, where the configuration describes the model)",
  },
  VERL_TRAINER_USER_PART: {
    summary: "A part of the run from a user's file cannot be used",
  },
  VERL_TRAINER_NO_VALIDATION: {
    summary: "A validation ended without a single trajectory",
  },
  VERL_TRAINER_FINISHED: {
    summary: "The run has done all of its steps already",
    fix: "raise trainer.total_training_steps or trainer.total_epochs to go on, or start anew with trainer.resume_mode=disable and another trainer.experiment_name",
  },
  VERL_TRAINER_REPLAY: {
    summary: "A trajectory cannot be sampled again",
    fix: "replay it with the configuration, the data and the checkpoint of its run",
  },
  VERL_TRAINER_ABORTED: {
    summary: "The run was aborted",
  },
});
