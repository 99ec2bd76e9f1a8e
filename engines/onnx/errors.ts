import { defineErrors } from "../../core/plugin.js";

export const errors = defineErrors({
  VERL_ONNX_NOT_INSTALLED: {
    summary: "onnxruntime-node, an optional dependency that the default engine runs on, is not installed.",
    fix: "npm install onnxruntime-node@1.30.0 --ignore-scripts",
  },
  VERL_ONNX_RUNTIME_UNUSABLE: {
    summary: "Neither way of calling onnxruntime passed its self-test on this machine.",
    fix: "Run `verl doctor` and report its output; another engine can be chosen with VERL_ENGINE.",
  },
  VERL_ONNX_SESSION_FAILED: {
    summary: "onnxruntime refused a graph that the engine made. This is a defect of the engine.",
  },
  VERL_ONNX_RUN_FAILED: { summary: "onnxruntime failed while it ran a graph." },
  VERL_ONNX_BAD_TENSOR: { summary: "A tensor's memory does not match its shape, or is shared or resizable." },
});
