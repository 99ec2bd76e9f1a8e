import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isVerlError, reasonOf } from "./errors.js";

/**
 * Where an error came from, for `where`: `function (file:line:column)`. Frames inside Node say nothing and are skipped, and so are
 * ours: what a user's line has asked of us fails there. Where there are no others, ours are told.
 */
export function firstFrame(error: unknown): string | null {
  const frames = framesOf(error);
  return frames.find((frame) => !isOurs(frame)) ?? frames[0] ?? null;
}

/** The line outside of our code that called it; null where only ours is on the stack. */
export function callerPlace(): string | null {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  const frames = framesOf(new Error());
  Error.stackTraceLimit = stackTraceLimit;
  return frames.find((frame) => !isOurs(frame)) ?? null;
}

const framesOf = (error: unknown): readonly string[] =>
  stackOf(error)
    .split("\n")
    .filter((line) => /^\s+at /.test(line) && !/[ (]node:/.test(line))
    .map((line) => line.trim().slice(3));

/** What is built, and with source maps what it is built from, which stacks then name. */
const BUILT = new URL("../../", import.meta.url);
const ROOMS = ["core", "cli", "engines", "platforms", "plugins", "testing"].flatMap((room) =>
  [new URL(`${room}/`, BUILT), new URL(`../${room}/`, BUILT)].flatMap((url) => [url.href, fileURLToPath(url)]),
);

const isOurs = (frame: string): boolean => ROOMS.some((room) => frame.includes(room));

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
