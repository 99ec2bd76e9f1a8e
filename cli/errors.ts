import { defineErrors } from "../core/host/basics.js";

/** Codes of the command line itself. */
export const cliErrors = defineErrors({
  VERL_CLI_USAGE: {
    summary: "The command line cannot be understood.",
    fix: "`verl --help` and `verl COMMAND --help` show what there is.",
  },
  VERL_CLI_NODE_VERSION: {
    summary: "This version of Node.js is too old.",
    fix: "Install Node.js 20.11 or newer.",
  },
  VERL_CLI_UNKNOWN_CODE: {
    summary: "No error has this code.",
    fix: "Copy the code from the message, e.g. VERL_CONFIG_UNKNOWN_KEY.",
  },
  VERL_CLI_UNKNOWN_NAME: {
    summary: "Nothing that is loaded or installed has this name.",
    fix: "`verl plugins list` and `verl plugins tree` show the names that there are.",
  },
  VERL_CLI_OUTPUT: {
    summary: "A file that a command writes cannot be written.",
    fix: "Choose another place for it.",
  },
  VERL_CLI_NOTHING_TO_INSPECT: {
    summary: "A file or folder holds no trajectory or trace, or none that is asked for.",
    fix: "Name a run's folder, its samples.jsonl, or a dump; trainer.rollout_data_dir and trainer.validation_data_dir keep all trajectories.",
  },
  VERL_CLI_NO_CHECKPOINT: {
    summary: "A folder holds no checkpoint.",
    fix: "Name a run's folder or its trainer.default_local_dir; trainer.save_freq says how often a run saves.",
  },
  VERL_CLI_CODE_IN_RUN: {
    summary: "The configuration of a run names code that lies in the run's own folder.",
    fix: "Read that file; if you trust it, copy it out of the folder and name it by an override.",
  },
  VERL_CLI_NOTHING_TO_REPLAY: {
    summary: "A run has no such trajectory that can be sampled again.",
    fix: "`verl inspect RUN --list` shows what was recorded.",
  },
  VERL_CLI_STALLED: {
    summary: "A promise is awaited that nobody will ever settle.",
    fix: "Look for such an await in the files that the run loads: reward function, data set, hooks, plugins.",
  },
  VERL_CLI_EXITED: {
    summary: "A file that the run loads ended the process.",
    fix: "Throw an error instead of calling process.exit: then the run ends well, and says why.",
  },
  VERL_CLI_INTERNAL: {
    summary: "Something went wrong that should not have: a defect.",
    fix: "Please report it with the stack that is printed.",
  },
});
