import type { Logger } from "../types.js";

/** Of each kind so many warnings are told in full. */
const TOLD = 3;
/** Beyond so many kinds there is one more, for all others. */
const KINDS = 500;
/** Longest part of a warning that a sum repeats. */
const SHOWN = 300;

export interface CalmLogger extends Logger {
  /** Tells how often what was held back has come since the last time, one line a kind; a single one is told as it is. `when` begins it, as in `step 3`. */
  sum(when?: string): void;
}

interface Kind {
  told: number;
  held: number;
  last: string;
}

/**
 * A logger in which warnings of one kind do not bury everything else: the first few are told as they come, later ones are counted until
 * `sum`. Of one kind are texts that differ in numbers, names with digits and what is quoted. Errors and all else pass.
 */
export function calmLogger(inner: Logger): CalmLogger {
  const kinds = new Map<string, Kind>();
  return {
    debug: (message) => inner.debug(message),
    info: (message) => inner.info(message),
    error: (message) => inner.error(message),
    warn(message) {
      const name = kindOf(message);
      const key = kinds.has(name) || kinds.size < KINDS ? name : "";
      const kind = kinds.get(key) ?? { told: 0, held: 0, last: "" };
      kinds.set(key, kind);
      kind.last = message;
      if (kind.told < TOLD) {
        kind.told++;
        inner.warn(message);
      } else kind.held++;
    },
    sum(when) {
      for (const kind of kinds.values()) {
        if (kind.held === 0) continue;
        const [first] = kind.last.split("\n");
        const last = first.length <= SHOWN ? first : `${first.slice(0, SHOWN)}…`;
        if (kind.held === 1) inner.warn(kind.last);
        else inner.warn(`${when ? `${when}: ` : ""}${kind.held} more of this kind, the last: ${last}`);
        kind.held = 0;
      }
    },
  };
}

const kindOf = (message: string): string =>
  message
    .slice(0, 2000)
    .replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '"…"')
    .replace(/[\w./:@#-]*\d[\w./:@#-]*/g, "0");
