import { defineErrors } from "../../core/host/basics.js";

export const trackerErrors = defineErrors({
  VERL_TRACKER_NO_PYTHON: {
    summary: "The client of a tracker is Python, and no Python can be run",
    fix: "install Python 3.8 or newer, or name one in trainer.tracker_python or VERL_TRACKER_PYTHON",
  },
  VERL_TRACKER_NOT_INSTALLED: {
    summary: "The Python client of a tracker is not installed",
    fix: "install it into that Python, or name the Python that has it in trainer.tracker_python or VERL_TRACKER_PYTHON",
  },
  VERL_TRACKER_START_FAILED: {
    summary: "The client of a tracker could not begin its run",
    fix: "see what it says above; most want to be logged in, or have a variable for work without a network",
  },
});
