import { type Logger, type LogLevel, lineLogger } from "../../core/host/basics.js";
import { type CommandIo, printLine } from "./io.js";

/** Diagnostic lines of a command, on standard error. Apart from `io.ts`, which must load nothing. */
export function commandLogger(io: Pick<CommandIo, "stderr">, level: LogLevel = "info"): Logger {
  return lineLogger((line) => printLine(io.stderr, line), level);
}
