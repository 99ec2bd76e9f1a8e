import { defineErrors } from "../host/errors.js";

export const sandboxErrors = defineErrors({
  VERL_SANDBOX_UNAVAILABLE: {
    summary: "The sandbox cannot be used on this machine",
    fix: "see `verl doctor` for what is missing, or name another sandbox in reward.sandbox.name",
  },
  VERL_SANDBOX_LANGUAGE: {
    summary: "The sandbox has no interpreter for the language of a program",
    fix: "install the interpreter, or name it in reward.sandbox.options.interpreters",
  },
  VERL_SANDBOX_BAD_REQUEST: {
    summary: "A program was handed to a sandbox in a form that it cannot run",
    fix: "correct the named part of the request",
  },
  VERL_SANDBOX_BAD_OPTION: {
    summary: "An option of a sandbox is unknown or has a wrong value",
    fix: "correct it in reward.sandbox.options",
  },
  VERL_SANDBOX_FAILED: {
    summary: "The sandbox broke while it ran a program; the program is not to blame",
    fix: "see the reason; `verl doctor` tries the sandbox alone",
  },
  VERL_SANDBOX_CLOSED: {
    summary: "A program was handed to a sandbox that is closed",
    fix: "run programs before the run ends",
  },
});
