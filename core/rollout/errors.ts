import { defineErrors } from "../host/errors.js";

export const rolloutErrors = defineErrors({
  VERL_ROLLOUT_BAD_REQUEST: {
    summary: "A generation request cannot be served as it stands",
    fix: "Correct the prompt or the sampling parameters of the request.",
  },
  VERL_ROLLOUT_PROMPT_TOO_LONG: {
    summary: "A prompt leaves no room for a single new token",
    fix: "Shorten the prompt (`data.max_prompt_length`), or raise `actor_rollout_ref.rollout.max_model_len`.",
  },
  VERL_ROLLOUT_NO_MEDIA: {
    summary: "The inference server does not take media of this kind",
    fix: "Use text alone, or another rollout (actor_rollout_ref.rollout.name) that takes them.",
  },
  VERL_ROLLOUT_ASLEEP: {
    summary: "A request reached an inference server whose memory is released",
    fix: "Call `wakeUp()` (and `resumeKvCache()`) before generating.",
  },
  VERL_ROLLOUT_NO_WEIGHTS: {
    summary: "A request reached an inference server that holds no weights",
    fix: "Push weights with the server adapter's `updateWeights` before generating.",
  },
  VERL_ROLLOUT_BAD_LOGITS: {
    summary: "The model produced logits that are not numbers",
    fix: "The weights hold NaN or infinity, often after a diverged update: lower the learning rate, or resume an earlier checkpoint.",
  },
  VERL_ROLLOUT_BAD_WEIGHTS: {
    summary: "A weight update does not fit the model; the old weights stay in use",
    fix: "Push every parameter of the model exactly once, under its Hugging Face name and with its shape.",
  },
  VERL_ROLLOUT_BAD_OPTION: {
    summary: "An option of the inference engine is unknown or out of range",
    fix: "Correct the section `actor_rollout_ref.rollout.engine_kwargs.<name>`.",
  },
  VERL_ROLLOUT_NO_QUANTIZATION: {
    summary: "The inference server cannot round its weights to fewer bits as asked",
    fix: "Set `actor_rollout_ref.rollout.quantization` to a value that the server knows, or to null.",
  },
  VERL_ROLLOUT_DISPOSED: {
    summary: "An inference server was used before `launch` or after `dispose`",
  },
  VERL_ROLLOUT_WRONG_ADAPTER: {
    summary: "A server adapter was given the replica of another rollout",
    fix: "Register the adapter and the replica that belong together under the same rollout name.",
  },
});
