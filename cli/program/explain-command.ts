import { nearestName } from "../../core/host/basics.js";
import { errorTable } from "../error-table.js";
import { cliErrors } from "../errors.js";
import { type CommandIo, painter, printJson, printLine } from "./io.js";
import { EXIT } from "./report-error.js";

/** `verl explain CODE`: what an error code means and what one usually does about it. */
export function explainCodeCommand(code: string, { json }: { json: boolean }, io: CommandIo): number {
  const name = code.trim().toUpperCase();
  const entry = errorTable[name];
  if (!entry) {
    const nearest = nearestName(name, Object.keys(errorTable));
    throw cliErrors.VERL_CLI_UNKNOWN_CODE({
      what: `There is no error code ${code}.${nearest ? ` Did you mean ${nearest}?` : ""}`,
      ...(nearest || /^VERL_/.test(name) ? {} : { fix: `\`verl help ${code}\` searches codes, keys and commands.` }),
    });
  }
  if (json) printJson(io, { code: name, ...entry });
  else {
    const paint = painter(io.color.stdout);
    printLine(io.stdout, paint("bold", name));
    printLine(io.stdout, `  ${entry.summary}`);
    if (entry.fix) printLine(io.stdout, `  ${paint("green", "fix:")} ${entry.fix}`);
  }
  return EXIT.ok;
}
