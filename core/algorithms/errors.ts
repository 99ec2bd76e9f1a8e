import { defineErrors } from "../host/errors.js";

/** Codes of this room. */
export const errors = defineErrors({
  VERL_ALGORITHMS_BAD_VALUE: {
    summary: "A setting of an algorithm is outside the range in which it is defined.",
    fix: "Change the named setting; the message states the allowed range.",
  },
  VERL_ALGORITHMS_UNKNOWN_NAME: {
    summary: "No algorithm, mode or option has this name.",
    fix: "Use one of the names that the message lists, or register your own from a plugin.",
  },
  VERL_ALGORITHMS_MISSING_INPUT: {
    summary: "A loss or an estimator needs a model output or a column that the batch does not carry.",
    fix: "Switch on what produces it (the message names it), or choose an algorithm that does not need it.",
  },
  VERL_ALGORITHMS_SHAPE: {
    summary: "Arrays that belong together have different lengths, or values of different extents were mixed.",
  },
  VERL_ALGORITHMS_TOO_FEW_TOKENS: {
    summary: "A statistic needs more tokens that count than the batch has.",
    fix: "Skip the batch, or use an estimator without whitening.",
  },
  VERL_ALGORITHMS_NO_SIGNAL: {
    summary: "Dynamic sampling generated its limit of batches and still lacks groups with different rewards.",
    fix: "Use prompts of fitting difficulty, raise rollout.n or the temperature, or raise filter_groups.max_num_gen_batches.",
  },
  VERL_ALGORITHMS_OVER_BUDGET: {
    summary: "A sequence alone is longer than the token budget of a micro-batch.",
    fix: "Raise the budget (`ppo_max_token_len_per_gpu`) to the longest sequence, or shorten prompts and responses.",
  },
});
