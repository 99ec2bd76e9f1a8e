import { type ErrorCode, type ErrorEntry, VerlError } from "../host/errors.js";
import { configErrors } from "./errors.js";
import type { Deprecation } from "./keys/deprecation.js";

/** Something wrong with a configuration. All of them are collected and reported together. */
export interface Problem {
  /** Of the configuration, or of whoever would refuse it at the start. */
  readonly code: ErrorCode;
  /** The key in question; empty where a file as a whole cannot be read. */
  readonly key: string;
  /** Of a key that there is not: those that it may have meant, the likeliest first. */
  readonly meant?: readonly string[];
  readonly what: string;
  /** Source of the value. */
  readonly where?: string;
  readonly why?: string;
  readonly fix?: string;
  /** Of a key that is no more. */
  readonly deprecation?: Deprecation;
}

/** As many as are collected: nobody reads more, and a file from outside may hold any number. */
export const MAX_PROBLEMS = 1000;
/** Names that are looked for in place of wrong ones: a search of all keys each, for as many as somebody may read. */
export const MAX_SUGGESTIONS = 20;

/** An error as one of several problems. */
export function problemOf({ code, what, where, why, fix }: VerlError, key: string): Problem {
  return { code, key, what, where, why, fix };
}

/** Whether a problem speaks of a key that has one of its own, or is what a wrong name meant: it judged a default in its place. */
export function restsOn({ key, what, why = "" }: Problem, known: readonly Problem[]): boolean {
  const text = `${what} ${why}`;
  const doubtful = known.flatMap((problem) => [problem.key, ...(problem.meant ?? []).slice(0, 1)]);
  return doubtful.some(
    (other) =>
      other === key ||
      key.startsWith(`${other}.`) ||
      other.startsWith(`${key}.`) ||
      (other.includes(".") && names(text, other)),
  );
}

/** Whether a text holds a key, and not a longer one that the key is a part of. */
function names(text: string, key: string): boolean {
  for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + 1)) {
    const rest = text.slice(at + key.length, at + key.length + 2);
    if (!/[\w.]$/.test(text.slice(0, at)) && !/^(\w|\.\w)/.test(rest)) return true;
  }
  return false;
}

/** Something worth saying that stops nothing. */
export interface Notice {
  readonly level: "notice" | "warning";
  readonly key: string;
  readonly message: string;
  readonly where?: string;
  /** Of a key that is on its way out. */
  readonly deprecation?: Deprecation;
}

/** One error for any number of problems: the problem's own code when there is one, else `VERL_CONFIG_INVALID`. */
export function problemsError(problems: readonly Problem[]): VerlError {
  const [first] = problems;
  const data = { problems: problems.map((problem) => ({ ...problem })) };
  if (problems.length === 1) {
    const { code, key, meant: _meant, deprecation: _deprecation, ...details } = first;
    const table: Readonly<Record<string, ErrorEntry>> = configErrors.table;
    return new VerlError(code, { ...details, fix: details.fix ?? table[code]?.fix, data: { key, ...data } });
  }
  const list = problems.map((problem, i) => `  ${i + 1}. ${card(problem)}`).join("\n");
  return configErrors.VERL_CONFIG_INVALID({
    what: `The configuration has ${problems.length} problems:\n${list}`,
    fix: "Correct each of them; `verl config explain KEY` says what a key takes.",
    data,
  });
}

function card({ code, what, where, why, fix }: Problem): string {
  const lines = [`${what} [${code}]`];
  if (where) lines.push(`where: ${where}`);
  if (why) lines.push(`why:   ${why}`);
  if (fix) lines.push(`fix:   ${fix}`);
  return lines.join("\n     ");
}
