import { cliErrors } from "./errors.js";
import type { CommandIo } from "./io.js";
import type { ConfigRequest } from "./prepare-run.js";

export interface GenerateRequest extends ConfigRequest {
  /** A single prompt; otherwise the prompts of `data.train_files`. */
  readonly prompt: string | null;
  /** JSONL file for the responses; null = standard output. */
  readonly output: string | null;
}

/** `verl generate`. Returns the exit code. */
export async function runGenerate(_request: GenerateRequest, _io: CommandIo): Promise<number> {
  throw cliErrors.VERL_CLI_NOT_AVAILABLE({ what: "`verl generate` is not part of this version." });
}
