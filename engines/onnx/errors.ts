import { defineErrors } from "../../core/host/basics.js";

export const errors = defineErrors({
  VERL_ONNX_NOT_INSTALLED: {
    summary: "onnxruntime-node, an optional dependency that the default engine runs on, is not installed.",
    fix: "npm install onnxruntime-node@1.30.0 --ignore-scripts",
  },
  VERL_ONNX_RUNTIME_UNUSABLE: {
    summary: "Neither way of calling onnxruntime passed its self-test on this machine.",
    fix: "Run `verl doctor` and report its output; another engine can be chosen with VERL_ENGINE.",
  },
  VERL_ONNX_DEVICE_MISSING: {
    summary: "A library that onnxruntime needs for a device is not installed.",
    fix: "Run the command that the error names, or set trainer.device=cpu.",
  },
  VERL_ONNX_SESSION_FAILED: {
    summary: "onnxruntime refused a graph that the engine made. This is a defect of the engine.",
  },
  VERL_ONNX_RUN_FAILED: { summary: "onnxruntime failed while it ran a graph." },
  VERL_ONNX_BAD_OPTION: { summary: "An option of the ONNX engine has a wrong name or value." },
  VERL_ONNX_NOT_LOADED: { summary: "An engine was used before `initialize` or after `dispose`." },
  VERL_ONNX_FORWARD_ONLY: {
    summary: "A training call reached an engine that was made without an optimizer.",
    fix: "Give the engine an optimizer configuration, or only call inferBatch.",
  },
  VERL_ONNX_BAD_CHECKPOINT: {
    summary:
      "A checkpoint cannot be loaded into this model: it holds an adapter where the whole model is trained or the other way round, an adapter of another rank or alpha, weights of other shapes, or lacks a part that was asked for.",
    fix: "Set what is trained as in the run that wrote it (its config.yaml: the model, lora_rank, lora_alpha, use_rslora), leave a missing part out of load_contents, or begin anew with trainer.resume_mode=disable.",
  },
  VERL_ONNX_OTHER_OPTIMIZER: {
    summary: "A checkpoint's optimizer state is not that of the optimizer which this run uses.",
    fix: "Use the optimizer that wrote it, or begin its state anew: actor.checkpoint.load_contents=[model, extra].",
  },
  VERL_ONNX_BAD_ADAPTER: {
    summary: "An adapter cannot be trained as it is described.",
    fix: "Give a rank of at least 1 and an alpha above 0.",
  },
  VERL_ONNX_ADAPTER_NAME: {
    summary: "An adapter was called by a name that does not exist, is taken, or cannot be one.",
  },
  VERL_ONNX_NO_HEAD: {
    summary: "A model that is only read has no value or score head in its files.",
    fix: "Use a model that was trained as a critic or reward model, or train one: with an optimizer the head begins anew.",
  },
  VERL_ONNX_BAD_TENSOR: { summary: "A tensor's memory does not match its shape, or is shared or resizable." },
});
