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
  VERL_TRACKING_UNEVEN_RANKS: {
    summary: "Ranks report a different number of values for one metric",
    fix: "run the same number of micro-batches on every rank",
  },
  VERL_TRACKING_SHAPE: {
    summary: "Lists that belong together in metrics have different lengths",
  },
});
