import path from "node:path";
import { type Evaluation, evaluateModel, evaluateResponses } from "../../core/trainer/index.js";
import { cliErrors } from "../errors.js";
import { withInterrupts } from "../program/interrupts.js";
import { type CommandIo, printJson, printLine } from "../program/io.js";
import { EXIT } from "../program/report-error.js";
import { watchedWork } from "../program/watched-work.js";
import { withCheckpointAdvice } from "./checkpoint-advice.js";
import { type ConfigRequest, prepareRun } from "./prepare-run.js";
import { type CommandScope, inRunScope } from "./run-scope.js";

export interface EvalRequest extends ConfigRequest {
  /** File with a column `responses` to score; null: validate the model on `data.val_files`. */
  readonly responses: string | null;
}

/** `verl eval`. Returns the exit code. */
export async function runEval(request: EvalRequest, io: CommandIo): Promise<number> {
  const run = await prepareRun(request, io, { forTraining: false, withoutModel: request.responses !== null });
  try {
    const evaluate = async (scope: CommandScope) => {
      if (request.responses === null && scope.config.data.val_files.length === 0) {
        throw cliErrors.VERL_CLI_USAGE({
          what: "`verl eval` has nothing to evaluate",
          fix: "set data.val_files, or pass --responses FILE",
        });
      }
      const evaluation =
        request.responses === null
          ? await evaluateModel(scope)
          : await evaluateResponses(scope, path.resolve(io.cwd, request.responses), "--responses");
      print(evaluation, request.json, io);
      return EXIT.ok;
    };
    return await withInterrupts(io, watchedWork(run, request), ({ signal }) => inRunScope(run, io, signal, evaluate));
  } catch (error) {
    throw await withCheckpointAdvice(error, run.config, { cwd: io.cwd, command: "eval" });
  } finally {
    await run.host.dispose();
  }
}

function print({ metrics, rows }: Evaluation, json: boolean, io: CommandIo): void {
  if (json) {
    printJson(io, { rows, metrics });
    return;
  }
  const names = Object.keys(metrics).sort();
  const width = names.reduce((n, name) => Math.max(n, name.length), 0);
  for (const name of names) printLine(io.stdout, `${name.padEnd(width)}  ${format(metrics[name])}`);
  printLine(io.stderr, `${rows} rows evaluated`);
}

const format = (x: number): string => (Number.isInteger(x) ? String(x) : x.toPrecision(5));
