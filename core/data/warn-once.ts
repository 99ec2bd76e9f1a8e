import type { Logger } from "../host/types.js";

/** A logger that repeats no warning. */
export function warnOnce(logger: Pick<Logger, "warn">): Pick<Logger, "warn"> {
  const warned = new Set<string>();
  return {
    warn(text) {
      if (warned.has(text)) return;
      warned.add(text);
      logger.warn(text);
    },
  };
}
