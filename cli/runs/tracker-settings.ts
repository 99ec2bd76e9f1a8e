import type { RunConfig } from "../../core/config/index.js";
import type { TrackerSettings } from "../../core/plugin.js";

/** Of the section `trainer`. */
export type TrackerKeys = Pick<RunConfig["trainer"], "log_val_generations" | "tracker_python" | "wandb_proxy">;

/** The keys of the configuration that are for trackers. */
export function trackerSettings(trainer: TrackerKeys): TrackerSettings {
  return {
    valGenerations: trainer.log_val_generations,
    python: trainer.tracker_python,
    proxy: trainer.wandb_proxy,
  };
}
