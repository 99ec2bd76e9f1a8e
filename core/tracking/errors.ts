import { defineErrors } from "../host/errors.js";

export const trackingErrors = defineErrors({
  VERL_TRACKING_FAILED: {
    summary: "A tracker failed",
    fix: "fix what the message names, or take the tracker out of trainer.logger",
  },
  VERL_TRACKING_BAD_FILE: {
    summary: "A file of a run is not what it should be",
    fix: "move the file away, or take the file that the run wrote",
  },
  VERL_TRACKING_WRITE: {
    summary: "A file of a run cannot be written",
    fix: "free some space, or choose another place with trainer.output_dir or the key that names the file",
  },
  VERL_TRACKING_NO_RUN: {
    summary: "A folder holds no run",
    fix: "name the folder of a run: trainer.output_dir, by default checkpoints/PROJECT/EXPERIMENT",
  },
  VERL_TRACKING_UNEVEN_RANKS: {
    summary: "Ranks report a different number of values for one metric",
    fix: "run the same number of micro-batches on every rank",
  },
  VERL_TRACKING_SHAPE: {
    summary: "Lists that belong together in metrics have different lengths",
  },
});
