import { cliErrors } from "./errors.js";
import type { CommandIo } from "./io.js";
import type { ConfigRequest } from "./prepare-run.js";

export interface EvalRequest extends ConfigRequest {
  /** File with a column `responses` to score; null: validate the model on `data.val_files`. */
  readonly responses: string | null;
}

/** `verl eval`. Returns the exit code. */
export async function runEval(_request: EvalRequest, _io: CommandIo): Promise<number> {
  throw cliErrors.VERL_CLI_NOT_AVAILABLE({ what: "`verl eval` is not part of this version." });
}
