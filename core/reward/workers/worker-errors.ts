import { isVerlError, reasonOf } from "../../host/errors.js";
import { rewardErrors } from "../errors.js";

/** The error of calls to a thread that is gone. */
export const workerLost = (name: string, how: string): Error =>
  rewardErrors.VERL_REWARD_WORKER_LOST({ what: `${name} is gone: ${how}` });

/** What a thread says about a function that it cannot load. */
export function cannotLoad(name: string, file: string | null, error: unknown): Error {
  const known = isVerlError(error) ? error : null;
  return rewardErrors.VERL_REWARD_BAD_FUNCTION({
    what: `${name} could not load the reward function: ${known?.what ?? reasonOf(error)}`,
    where: known?.where ?? file ?? undefined,
    why: known?.why,
    fix: known?.fix,
    cause: error,
  });
}
