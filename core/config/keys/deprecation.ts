/** When a key changed, as far as it is known: a month (`2026-02`) or a year. */
export interface Since {
  readonly date: string;
  /** Whose change it was. Names that verl gave up are read here as well. */
  readonly by: "verl" | "verl-ts";
  /** Where it is recorded, e.g. `verl#5255`, or the version that brought it. */
  readonly record?: string;
}

/** When an old name stops working: with this version, which comes no sooner than this date. */
export interface Until {
  readonly version: string;
  readonly notBefore: string;
}

/** What a program is told about a key that is on its way out, beside the message for people. */
export interface Deprecation {
  /** `renamed`: works under its old name until `until`. `removed`: has no effect any more. `deprecated`: works, and will go. */
  readonly kind: "renamed" | "removed" | "deprecated";
  readonly key: string;
  /** What to write instead, if there is something. */
  readonly instead?: string;
  /** Absent where a plugin deprecates a key of its own, which says so in words. */
  readonly since?: Since;
  readonly until?: Until;
}

/** Old names of verl's keys are read through all of 0.x. */
export const UNTIL_1_0: Until = { version: "1.0.0", notBefore: "2027-06-01" };

/** A change that verl made. */
export const inVerl = (date: string, record?: string): Since => ({
  date,
  by: "verl",
  ...(record ? { record } : {}),
});

/** `by verl, 2026-02, verl#5255`. */
export const sinceText = ({ by, date, record }: Since): string =>
  `by ${by}, ${date}${record === undefined ? "" : `, ${record}`}`;

/** `verl-ts 1.0.0 (not before 2027-06-01)`. */
export const untilText = ({ version, notBefore }: Until): string => `verl-ts ${version} (not before ${notBefore})`;
