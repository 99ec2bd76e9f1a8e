import { defineErrors } from "../host/errors.js";

/** Codes of configuration: reading, composing and checking it. */
export const configErrors = defineErrors({
  VERL_CONFIG_FILE: {
    summary: "A configuration file cannot be read.",
    fix: "Check the path; it is relative to the working directory.",
  },
  VERL_CONFIG_FILE_MISSING: {
    summary: "The configuration names a file that does not exist.",
    fix: "Check the path; it is relative to the working directory.",
  },
  VERL_CONFIG_SYNTAX: {
    summary: "A configuration file is not valid YAML 1.2, or holds something that is no configuration.",
    fix: "Correct the file at the place named.",
  },
  VERL_CONFIG_OVERRIDE: {
    summary: "A command-line override cannot be read or does not fit the configuration.",
    fix: "Forms: a.b=V sets, +a.b=V adds, ++a.b=V sets or adds, ~a.b removes. Quote text with special characters.",
  },
  VERL_CONFIG_REFERENCE: {
    summary: "A reference such as ${a.b} leads nowhere, or in a circle.",
    fix: "Name an existing key, or give a default: ${oc.env:NAME,default}.",
  },
  VERL_CONFIG_UNKNOWN_KEY: {
    summary: "A key that no part of the configuration has.",
    fix: "Correct the spelling; `verl config explain` lists every key, `verl help WORD` searches them.",
  },
  VERL_CONFIG_REMOVED_KEY: {
    summary: "A key that there was in older versions, with a value that would change the result.",
    fix: "Remove it; `verl config explain KEY` says since when it is gone and what took its place.",
  },
  VERL_CONFIG_TYPE: {
    summary: "A value has the wrong type or is out of range.",
    fix: "`verl config explain KEY` shows type, range and default.",
  },
  VERL_CONFIG_NAME: {
    summary: "A value names something that is not registered: an algorithm, a trainer, a server, a tracker.",
    fix: "Use one of the names listed, or load the plugin that registers it.",
  },
  VERL_CONFIG_SIZES: {
    summary: "Batch sizes or lengths do not fit together.",
    fix: "Use one of the values named.",
  },
  VERL_CONFIG_CONFLICT: {
    summary: "Two settings contradict each other, or one needs another that is missing.",
  },
  VERL_CONFIG_UNFIT: {
    summary: "A setting asks for something that the engine, the inference server or the model cannot do.",
    fix: "Change the setting named, or choose another engine, server or model.",
  },
  VERL_CONFIG_UNSUPPORTED: {
    summary: "A setting of verl that changes results and is not available in this version.",
    fix: "Remove the setting, or set the value named.",
  },
  VERL_CONFIG_PLUGIN_SECTION: {
    summary: "A plugin's section of the configuration does not match the plugin's schema.",
    fix: "Correct the value at the place named; the plugin's documentation lists its settings.",
  },
  VERL_CONFIG_NO_STEPS: {
    summary: "The run would end without a single training step.",
    fix: "Lower data.train_batch_size, add data, or raise trainer.total_epochs or trainer.total_training_steps.",
  },
  VERL_CONFIG_INVALID: {
    summary: "The configuration has several problems; each is listed with its own code.",
  },
});
