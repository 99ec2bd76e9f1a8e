import type { Awaitable, Logger } from "./host/types.js";
import type { Registries } from "./kinds.js";

/**
 * A word of the command line: `verl NAME …`. It is known where `VERL_USE_EXTERNAL_MODULES` or `VERL_USE_EXTERNAL_PLUGINS` names its
 * plugin; `verl --help` lists it there, and `verl NAME --help` shows what is given here.
 */
export interface PluginCommand {
  /** Small letters, digits, dots and dashes; none of {@link RESERVED_COMMANDS}. */
  readonly name: string;
  /** One line. */
  readonly description: string;
  /** What may follow the name, e.g. `RUN [--top N]`. */
  readonly usage?: string;
  /**
   * Returns the exit code; nothing means 0. Of an error, one with a code is shown as a card; any other one counts as a defect and
   * keeps its stack.
   */
  run(context: CommandContext): Awaitable<number | undefined>;
}

/** What a command works with, instead of the process: results go to `stdout`, everything else to `stderr`. */
export interface CommandContext {
  /** The words after the name, as they were typed. */
  readonly args: readonly string[];
  /** Base of relative paths. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Whether text may be coloured. */
  readonly color: { readonly stdout: boolean; readonly stderr: boolean };
  /** Everything that built-ins and plugins have registered. */
  readonly registries: Registries;
  /** Aborted by Ctrl-C; a command that goes on for more than some seconds after that is ended. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** What `verl` itself understands; plugins cannot take these names. */
export const RESERVED_COMMANDS: readonly string[] = [
  "new",
  "train",
  "profile",
  "generate",
  "eval",
  "debug",
  "inspect",
  "compare",
  "export",
  "checkpoints",
  "replay",
  "dashboard",
  "config",
  "doctor",
  "explain",
  "completion",
  "plugins",
  "help",
];
