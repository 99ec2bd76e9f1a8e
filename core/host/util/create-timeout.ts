import { pluginErrors } from "../plugin-errors.js";

/** What is said of a user's part whose `create` does not settle. `what`: the export and its module; `where`: file and key. */
export function createTimeout(what: string, where: string, deadlineMs: number): Error {
  return pluginErrors.VERL_USER_TIMEOUT({
    what: `create of ${what} did not settle within ${deadlineMs / 1000} s`,
    where,
    why: "it returned a promise that has not settled",
    fix: "look for an await that never settles, and do slow work in start or later; VERL_LOAD_DEADLINE_S=120 gives it more time",
  });
}
