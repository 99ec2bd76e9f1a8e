import { definePlugin } from "../../core/plugin.js";
import { consoleTracker } from "./console/console-tracker.js";
import { fileTracker, jsonlTracker } from "./jsonl-tracker.js";
import { reportTracker } from "./report/report-tracker.js";

/** Trackers that need no account and no network: `console`, `jsonl`, `report`, `file`. */
export const trackersPlugin = definePlugin({
  name: "verl-ts/trackers",
  apiVersion: "^1.0.0",
  provides: ["tracker"],
  register(host) {
    for (const tracker of [consoleTracker, jsonlTracker, reportTracker, fileTracker]) host.trackers.register(tracker);
  },
});

export { consoleTracker, fileTracker, jsonlTracker, reportTracker };
