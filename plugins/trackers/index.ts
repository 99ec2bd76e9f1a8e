import { definePlugin, type TrackerFactory } from "../../core/plugin.js";
import { consoleTracker } from "./console/console-tracker.js";
import { fileTracker, jsonlTracker } from "./jsonl-tracker.js";
import { reportTracker } from "./report/report-tracker.js";

/** Event files for TensorBoard, which need nothing installed. */
export const tensorBoardTracker: TrackerFactory = {
  name: "tensorboard",
  create: async (options) => new (await import("./tensorboard/tensorboard-tracker.js")).TensorBoardTracker(options),
};

const PYTHON_CLIENTS = ["wandb", "swanlab", "trackio", "mlflow"] as const;

/** Trackers of others, through their official clients, which are Python: `wandb`, `swanlab`, `trackio`, `mlflow`. */
export const pythonTrackers: readonly TrackerFactory[] = PYTHON_CLIENTS.map((name) => {
  const load = async () => (await import("./python/clients.js")).pythonTrackers[name];
  return {
    name,
    create: async (options) => (await load()).create(options),
    diagnose: async (options) => (await (await load()).diagnose?.(options)) ?? [],
  };
});

/** Where a run's metrics go. What only some runs want is loaded where a run names it. */
export const trackersPlugin = definePlugin({
  name: "verl-ts/trackers",
  apiVersion: "^1.0.0",
  provides: ["tracker"],
  register(host) {
    const local = [consoleTracker, jsonlTracker, reportTracker, fileTracker, tensorBoardTracker];
    for (const tracker of [...local, ...pythonTrackers]) host.trackers.register(tracker);
  },
});

export { consoleTracker, fileTracker, jsonlTracker, reportTracker };
