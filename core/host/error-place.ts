import { spawnSync } from "node:child_process";
import { isVerlError, reasonOf } from "./errors.js";

/** Where an error came from, for `where`: `function (file:line:column)`. Frames inside Node say nothing and are skipped. */
export function firstFrame(error: unknown): string | null {
  const line = stackOf(error)
    .split("\n")
    .find((l) => /^\s+at /.test(l) && !/[ (]node:/.test(l));
  return line?.trim().slice(3) ?? null;
}

/** The stack of an error; empty of anything else. What is thrown may be built to throw again when it is looked at. */
export function stackOf(error: unknown): string {
  try {
    const stack: unknown = error instanceof Error ? error.stack : undefined;
    return typeof stack === "string" ? stack : "";
  } catch {
    return "";
  }
}

/** What was thrown, and at which line: coded errors say where by themselves. */
export function reasonAndPlace(error: unknown): string {
  const place = isVerlError(error) ? null : firstFrame(error);
  return place ? `${reasonOf(error)} (at ${place})` : reasonOf(error);
}

/** Like {@link firstFrame}; of a syntax error in `file`, the line of the file, which Node keeps out of the error. */
export function placeOf(error: unknown, file: string): string | null {
  return error instanceof SyntaxError ? (syntaxPlace(file) ?? firstFrame(error)) : firstFrame(error);
}

function syntaxPlace(file: string): string | null {
  const check = spawnSync(process.execPath, ["--check", file], { encoding: "utf8", timeout: 5000 });
  const place = check.stderr?.split("\n").find((line) => /:\d+$/.test(line.trim()));
  return place?.trim() ?? null;
}
