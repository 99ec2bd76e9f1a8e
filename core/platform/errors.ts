import { defineErrors } from "../host/errors.js";

/** Codes of the choice of a platform. */
export const platformErrors = defineErrors({
  VERL_PLATFORM_NOT_READY: {
    summary: "A plugin asked for the current platform before every plugin had registered.",
    fix: "Ask in the factory that you register, not in `register`.",
  },
  VERL_PLATFORM_UNKNOWN: {
    summary: "The platform that was asked for is not registered.",
    fix: "Use one of the known names, or load the plugin that provides it.",
  },
  VERL_PLATFORM_UNUSABLE: {
    summary: "The platform that was asked for cannot be used in this process.",
    fix: "Run `verl doctor`, or leave the choice to detection.",
  },
  VERL_PLATFORM_AMBIGUOUS: {
    summary: "Several platforms could be used, and nothing says which one.",
    fix: "Set VERL_PLATFORM to one of them.",
  },
  VERL_PLATFORM_TOO_FEW_DEVICES: {
    summary: "More training processes are asked for than the platform has devices for.",
    fix: "Lower trainer.n_gpus_per_node, or let the mask show more devices.",
  },
  VERL_PLATFORM_NONE: {
    summary: "No registered platform can be used in this process.",
    fix: "Run `verl doctor`: it shows what each platform's probe found.",
  },
});
