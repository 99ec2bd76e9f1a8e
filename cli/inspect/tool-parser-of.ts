import { builtinToolParsers, type ToolParser } from "../../core/agent/index.js";
import { nearestName, reasonOf } from "../../core/host/basics.js";
import { cliErrors } from "../errors.js";
import type { CommandIo } from "../program/io.js";
import { startHost } from "../runs/prepare-run.js";

/** Who reads tool calls, and what is to be said where nobody does. Disposed after use, with the plugins it came from. */
export interface OpenToolParser extends AsyncDisposable {
  readonly parser: ToolParser | null;
  readonly note: string | null;
}

/** What finds calls in a run of a format that nobody named. */
const USUAL = "hermes";

/**
 * The parser of a format: a built-in one, or that of a plugin which the environment names. A run may be looked at where its
 * plugins are not: then its calls stay in the text.
 *
 * @throws VERL_CLI_USAGE for `--tool-format` with a name that nobody has
 */
export async function openToolParser(
  { asked, ofRun }: { readonly asked: string | null; readonly ofRun: string | null },
  io: CommandIo,
): Promise<OpenToolParser> {
  const name = asked ?? ofRun ?? USUAL;
  const builtin = builtinToolParsers.find((parser) => parser.name === name);
  if (builtin) return open(builtin);
  const { VERL_USE_EXTERNAL_MODULES: modules, VERL_USE_EXTERNAL_PLUGINS: discovery } = io.env;
  let why = "";
  const names = builtinToolParsers.map((parser) => parser.name);
  if (modules || discovery) {
    try {
      const host = await startHost({ json: false, allowBrokenPlugins: true }, [], io);
      const parser = host.registries.toolParsers.get(name);
      if (parser) return { ...open(parser), [Symbol.asyncDispose]: () => host.dispose() };
      names.splice(0, Number.POSITIVE_INFINITY, ...host.registries.toolParsers.keys());
      await host.dispose();
    } catch (error) {
      why = ` (${reasonOf(error)})`;
    }
  }
  if (asked !== null) refuse(asked, names);
  const note = `note: the run's tool calls have the format ${JSON.stringify(name)}, which no plugin here brings${why}; they stand in the text only. VERL_USE_EXTERNAL_MODULES=PLUGIN names the run's plugin, --tool-format NAME another format.`;
  return open(null, note);
}

const open = (parser: ToolParser | null, note: string | null = null): OpenToolParser => ({
  parser,
  note,
  async [Symbol.asyncDispose]() {},
});

function refuse(format: string, choices: readonly string[]): never {
  const nearest = nearestName(format, choices);
  const fix = nearest ? `did you mean ${nearest}?` : `choose one of ${choices.join(", ")}`;
  throw cliErrors.VERL_CLI_USAGE({ what: `\`--tool-format ${format}\` cannot be understood.`, fix });
}
