import { defineErrors } from "../host/errors.js";

export const engineErrors = defineErrors({
  VERL_ENGINE_NOT_FOUND: {
    summary: "No registered engine serves this model type, backend, device and vendor.",
    fix: "Choose a registered combination (`verl plugins tree`), or install a plugin that registers this one.",
  },
  VERL_ENGINE_UNAVAILABLE: {
    summary: "The engine for this device lacks something on this machine.",
    fix: "Install what is missing, or set trainer.device=cpu.",
  },
  VERL_ENGINE_NO_MEDIA: {
    summary: "A batch holds media, and the engine does not take any.",
    fix: "Use text alone, or an engine whose capabilities say multiModal (actor_rollout_ref.actor.strategy, critic.strategy).",
  },
  VERL_ENGINE_NOT_INITIALIZED: {
    summary: "An engine was used before `initialize` or after `dispose`.",
    fix: "Await `engine.initialize()` first.",
  },
  VERL_ENGINE_WRONG_MODE: {
    summary: "A call needs the engine's train mode, or any mode, and none is entered.",
    fix: "Enter it around the call: `await using mode = await engine.trainMode()`.",
  },
  VERL_ENGINE_FORWARD_ONLY: {
    summary: "A training call reached an engine that was made without an optimizer.",
    fix: "Give the engine an optimizer configuration, or only call inferBatch.",
  },
  VERL_ENGINE_WEIGHTS_REPLACED: {
    summary: "A call that needs the weights that an engine trains came while others stood in their place.",
    fix: "Dispose the scope of `disableAdapter` or `averagedWeights` first.",
  },
  VERL_ENGINE_BAD_BATCH: { summary: "A batch does not fit the model or is inconsistent in itself." },
  VERL_ENGINE_SEQUENCE_TOO_LONG: {
    summary: "A sequence has more tokens than the model has positions.",
    fix: "Lower data.max_prompt_length or data.max_response_length.",
  },
  VERL_ENGINE_OUTPUT_UNSUPPORTED: {
    summary: "A loss or a caller asks for an output that this engine does not compute.",
    fix: "Choose a loss without it, or an engine whose capabilities list it.",
  },
  VERL_ENGINE_ONE_PROCESS: {
    summary: "Several training processes are asked for, and the engine or the program cannot have them.",
    fix: "Set trainer.n_gpus_per_node to 1, or choose an engine that supports data parallelism.",
  },
  VERL_ENGINE_RANK_LOST: {
    summary: "A training process of a data-parallel run ended while the run needed it.",
    fix: "The last complete checkpoint is intact: run the same command again to go on from it.",
  },
  VERL_ENGINE_RANK_FAILED: {
    summary: "A training process of a data-parallel run failed without a coded error. This is a defect.",
  },
  VERL_ENGINE_NO_EXCHANGE: {
    summary: "Training processes cannot exchange gradients and parameters.",
    fix: "Free memory and space in the temporary folder, or set trainer.n_gpus_per_node to 1.",
  },
  VERL_ENGINE_BAD_EXPORT: { summary: "An engine exported two parameters under one name." },
  VERL_ENGINE_BAD_CHECKPOINT: {
    summary: "The host's part of an engine checkpoint is missing or unreadable.",
    fix: "Load the parts that exist, e.g. load_contents=[model], or use another checkpoint.",
  },
});
