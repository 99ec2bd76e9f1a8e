import { defineErrors } from "../host/errors.js";

export const trackingErrors = defineErrors({
  VERL_TRACKING_FAILED: {
    summary: "A tracker failed",
    fix: "fix what the message names, or take the tracker out of trainer.logger",
  },
  VERL_TRACKING_BAD_FILE: {
    summary: "A metrics file cannot be continued",
    fix: "move the file away, or resume the run that wrote it",
  },
});
