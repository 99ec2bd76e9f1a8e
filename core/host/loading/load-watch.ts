import type { Watchdog } from "../blocking/watchdog.js";
import { pluginErrors } from "../plugin-errors.js";
import type { Logger } from "../types.js";
import { withDeadline } from "../util/deadline.js";

/** Milliseconds that loading one plugin, or one module of the user's, may take. */
const DEFAULT_MS = 30_000;
/** After so long it is said what is waited for. */
const NOTICE_MS = 5000;

/** The deadline for loading code: `VERL_LOAD_DEADLINE_S`, or 30 s. */
export function loadDeadlineMs(env: Readonly<Record<string, string | undefined>>): number {
  const text = env.VERL_LOAD_DEADLINE_S?.trim();
  if (!text) return DEFAULT_MS;
  const seconds = Number(text);
  if (seconds > 0 && seconds <= 86_400) return seconds * 1000;
  throw pluginErrors.VERL_PLUGIN_BAD_SETTING({
    what: `VERL_LOAD_DEADLINE_S is ${JSON.stringify(text)}, which is no number of seconds`,
    where: "environment VERL_LOAD_DEADLINE_S",
    fix: "Set it to a number above 0, e.g. 60, or unset it: the default is 30.",
  });
}

/** Code from outside that is about to run for the first time. */
export interface LoadedCode {
  /** In messages: `the plugin name@1.0.0 (file)`. */
  readonly label: string;
  /** What to say where it blocks the process: only another thread can then. */
  readonly blocked: { readonly code: string; readonly fix: string };
  /** Where it does not settle. */
  onTimeout(): Error;
}

/** Loading of code that is not ours: one deadline for all of it, a word where it is slow, a name where it blocks everything. */
export class LoadWatch {
  constructor(
    private readonly watchdog: Watchdog,
    private readonly logger: Logger,
    readonly deadlineMs: number,
  ) {}

  async run<T>({ label, blocked, onTimeout }: LoadedCode, work: () => Promise<T>): Promise<T> {
    const { deadlineMs } = this;
    const afterMs = Math.min(NOTICE_MS, deadlineMs / 2);
    const slow = `${label} has not finished loading after ${afterMs / 1000} s; it is given up after ${deadlineMs / 1000} s`;
    const notice = setTimeout(() => this.logger.warn(slow), afterMs);
    try {
      return await this.watchdog.watch({ label, deadlineMs, ...blocked }, () =>
        withDeadline(work(), deadlineMs, onTimeout),
      );
    } finally {
      clearTimeout(notice);
    }
  }

  /** Keeps the watching thread for several loads, instead of starting one for each. Returns the function that lets it go. */
  hold(): () => void {
    return this.watchdog.hold();
  }
}
