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
  VERL_TRACKER_UNWRITABLE: {
    summary: "A tracker cannot write to its place on this machine",
    fix: "choose another place, or take the tracker out of trainer.logger",
  },
  VERL_TRACKER_BAD_SETTING: {
    summary: "A variable that a tracker's client reads has a value that it cannot have",
    fix: "correct the variable, or unset it",
  },
  VERL_TRACKER_START_FAILED: {
    summary: "The client of a tracker could not begin its run",
    fix: "see what it says above; most want to be logged in, or have a variable for work without a network",
  },
});
