import { type DataItem, type Dataset, promptMessages } from "../../data/index.js";
import { inUserCode } from "../../host/blocking/user-code.js";
import { reasonAndPlace } from "../../host/error-place.js";
import { isVerlError } from "../../host/errors.js";
import type { JsonValue } from "../../host/types.js";
import { isObject } from "../../host/util/plain-object.js";
import { trainerErrors } from "../errors.js";

/** Rows of a data set from a user's file or a plugin. All are looked at before a run starts. */
export const MAX_DATASET_ROWS = 100_000_000;

/** Who made a data set, for errors. */
export interface DatasetMaker {
  readonly name: string;
  /** File and key. */
  readonly where: string;
}

const MEMBERS = "give it length, at(index) and report: { files, rows, overlong }";

/**
 * A data set of somebody else's, of which the run believes nothing: its length is read once, and each row is looked at whenever it
 * is given out.
 *
 * @throws VERL_TRAINER_USER_PART where it has no members of a data set; `at` of what it returns, where a row is none
 */
export function checkedDataset(made: Dataset, { name, where }: DatasetMaker): Dataset {
  const bad = (what: string, fix: string, cause?: unknown) =>
    trainerErrors.VERL_TRAINER_USER_PART({
      ...{ what, where, fix },
      ...(cause === undefined ? {} : { why: reasonAndPlace(cause), cause }),
    });
  /** Getters, proxies and methods of theirs may throw anything, null as well. */
  const asked = <T>(what: string, fix: string, read: () => T): T => {
    try {
      return inUserCode(() => `${what}, ${where}`, read);
    } catch (error) {
      if (isVerlError(error)) throw error;
      throw bad(`${what} threw`, fix, error ?? `it threw ${error}`);
    }
  };
  const { length, report } = asked(`a member of the data set of "${name}"`, MEMBERS, () => {
    const { length, report } = made;
    const { files, rows, overlong, longestPrompt } = Object(report) as Partial<Dataset["report"]>;
    return { length: length as unknown, report: { files, rows, overlong, longestPrompt } };
  });
  if (length === undefined || !Array.isArray(report.files)) {
    throw bad(`"${name}" made a data set without length or report`, MEMBERS);
  }
  if (!isCount(length) || length < 1 || length > MAX_DATASET_ROWS) {
    const most = MAX_DATASET_ROWS.toLocaleString("en");
    throw bad(
      `"${name}" made a data set whose length is ${said(length)}`,
      `length is the number of its rows: a whole number from 1 to ${most}`,
    );
  }
  const { files, rows, overlong, longestPrompt } = report;
  if (!isCount(rows) || !isCount(overlong) || (longestPrompt !== undefined && !isCount(longestPrompt))) {
    const told = Object.entries({ rows, overlong, longestPrompt }).map(([key, value]) => `${key}: ${said(value)}`);
    throw bad(
      `"${name}" made a data set whose report has ${told.join(", ")}`,
      "report.rows and report.overlong are numbers of rows; longestPrompt, which may be left out, is one of tokens",
    );
  }
  return {
    length,
    report: { files, rows, overlong, ...(longestPrompt === undefined ? {} : { longestPrompt }) },
    at(index) {
      const call = `at(${index}) of "${name}"`;
      const fix = "at(index) returns { messages, row, origin } for every index from 0 to length - 1";
      const item = asked(call, fix, () => itemOf(made.at(index)));
      if (typeof item !== "string") return item;
      throw bad(`${call} ${item}`, fix);
    },
  };
}

/** The row, its columns read; or what is wrong with it. */
function itemOf(item: unknown): DataItem | string {
  if (item instanceof Promise) {
    item.catch(() => {});
    return "gave a promise: rows are there when a data set is made, and given at once";
  }
  if (!isObject(item)) return `gave ${said(item)}, no row`;
  const { messages, row, origin } = item;
  if (!Array.isArray(messages)) return `gave a row whose messages are ${said(messages)}, no list`;
  const prompt = promptMessages(messages as JsonValue, "messages");
  if ("problem" in prompt) return `gave a row that ${prompt.problem}`;
  if (!isObject(row)) return `gave a row whose columns (row) are ${said(row)}, no object`;
  if (typeof origin !== "string") return `gave a row whose origin is ${said(origin)}, no text`;
  return { messages: prompt.messages, row: { ...row } as DataItem["row"], origin };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Without looking into it: what is inside may throw. JSON knows no NaN. */
function said(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return `the text ${JSON.stringify(value.slice(0, 60))}`;
  if (typeof value === "object") return "an object";
  return typeof value === "function" ? "a function" : String(value);
}
