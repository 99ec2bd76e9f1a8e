import type { Logger } from "./types.js";

const LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LEVELS)[number];

/** Writes lines to standard error, `warn` and above unless told otherwise. */
export function stderrLogger(level: LogLevel = "warn"): Logger {
  return lineLogger((line) => process.stderr.write(`${line}\n`), level);
}

/** A logger over any sink of lines. */
export function lineLogger(write: (line: string, level: LogLevel) => void, level: LogLevel = "debug"): Logger {
  const lowest = LEVELS.indexOf(level);
  const at = (own: LogLevel) => (message: string) => {
    if (LEVELS.indexOf(own) >= lowest) write(own === "info" ? message : `${own}: ${message}`, own);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** The same logger with every message marked. */
export function prefixed(logger: Logger, prefix: string): Logger {
  const mark = (name: LogLevel) => (message: string) => logger[name](`${prefix} ${message}`);
  return { debug: mark("debug"), info: mark("info"), warn: mark("warn"), error: mark("error") };
}
