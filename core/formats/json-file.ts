import { access } from "node:fs/promises";
import { reasonOf } from "../host/errors.js";
import { parseOutsideJson } from "../host/util/outside-json.js";
import { readRegularText } from "../host/util/regular-file.js";
import { parseSettingsJson, TwoValuesError } from "../host/util/settings-json.js";
import { formatErrors } from "./errors.js";

/** Read a JSON object, or say which file is missing or malformed and where. */
export async function readJsonObject(
  path: string,
  parse: (text: string) => unknown = parseOutsideJson,
): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = await readRegularText(path);
  } catch (cause) {
    throw formatErrors.VERL_FORMATS_FILE_UNREADABLE({
      what: `cannot read ${path}`,
      where: path,
      why: reasonOf(cause),
      cause,
    });
  }
  let value: unknown;
  try {
    value = parse(text);
  } catch (cause) {
    if (cause instanceof TwoValuesError) {
      throw formatErrors.VERL_FORMATS_JSON_INVALID({
        what: `${path} contradicts itself: ${cause.message}`,
        where: `${path}:${cause.line}`,
        fix: "keep the value that is meant",
      });
    }
    throw formatErrors.VERL_FORMATS_JSON_INVALID({
      what: `${path} is not JSON`,
      where: path,
      why: reasonOf(cause),
      cause,
    });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw formatErrors.VERL_FORMATS_JSON_INVALID({ what: `${path} does not hold a JSON object`, where: path });
  }
  return value as Record<string, unknown>;
}

/** As {@link readJsonObject}, for settings: one key with two values is refused. */
export const readSettings = (path: string): Promise<Record<string, unknown>> => readJsonObject(path, parseSettingsJson);

/** As {@link readSettings}, with an empty object for a file that does not exist. */
export async function readOptionalSettings(path: string): Promise<Record<string, unknown>> {
  try {
    return await readSettings(path);
  } catch (error) {
    if (isMissing(error)) return {};
    throw error;
  }
}

/** The text of a file, or null when it does not exist. */
export async function readOptionalText(path: string): Promise<string | null> {
  try {
    return await readRegularText(path);
  } catch (cause) {
    if (isMissing({ cause })) return null;
    throw formatErrors.VERL_FORMATS_FILE_UNREADABLE({
      what: `cannot read ${path}`,
      where: path,
      why: reasonOf(cause),
      cause,
    });
  }
}

function isMissing(error: unknown): boolean {
  const cause = (error as { cause?: unknown }).cause;
  return (cause as { code?: unknown } | undefined)?.code === "ENOENT";
}

export function fileExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
