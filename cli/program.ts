import { Command, CommanderError, Option } from "commander";
import { splitArguments } from "./arguments.js";
import { cliErrors } from "./errors.js";
import { type CommandIo, printLine } from "./io.js";
import { EXIT, reportError } from "./report-error.js";
import { VERSION } from "./version.js";

/**
 * Runs one command line (without `node verl`) and returns the exit code: 0 done, 1 the run failed, 2 the command line, the
 * configuration or a plugin is wrong, 130 interrupted. Commands load what they need when they run.
 */
export async function runCli(argv: readonly string[], io: CommandIo): Promise<number> {
  const outcome = { code: EXIT.ok as number };
  const json = argv.includes("--json");
  try {
    const help = argv.includes("--help") || argv.includes("-h");
    const keys = help && argv[0] === "train" ? (await import("./key-help.js")).frequentKeysHelp() : "";
    await createProgram(io, outcome, keys).parseAsync([...argv], { from: "user" });
    return outcome.code;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(error, io, json);
    if (error.exitCode === 0) return EXIT.ok;
    if (error.code === "commander.help") {
      printLine(io.stderr, `${createProgram(io, outcome).helpInformation()}${EXAMPLES}`);
      return EXIT.usage;
    }
    const [what] = error.message.replace(/^error: /, "").split("\n");
    const suggestion = /Did you mean [^)]*/.exec(error.message)?.[0];
    const usage = cliErrors.VERL_CLI_USAGE({ what: `${sentence(what)}${suggestion ? ` ${suggestion}` : ""}` });
    return reportError(usage, io, json);
  }
}

interface Outcome {
  code: number;
}
type Flags = Readonly<Record<string, unknown>>;

const CONFIG_ARGUMENTS = "YAML files, and overrides such as data.train_batch_size=8";
const OVERRIDES_HELP = `
Overrides:
  a.b=V     change a key          +a.b=V   add a key to an open section
  ++a.b=V   change or add         ~a.b     go back to the default
  V is null, true, a number, text, 'quoted text', [a, b], {a: 1} or \${another.key}.
  Later files and overrides win. VERL_PLATFORM, VERL_ENGINE and VERL_ROLLOUT lie between files and overrides.`;

export function createProgram(io: CommandIo, outcome: Outcome, trainHelp = ""): Command {
  const program = new Command("verl")
    .description("Reinforcement learning for language models: train, look, extend.")
    .version(VERSION, "-V, --version", "show the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: () => {},
      getOutHasColors: () => io.color,
      getErrHasColors: () => io.color,
    })
    .addHelpText("after", EXAMPLES);
  const finish = async (result: Promise<number>) => {
    outcome.code = await result;
  };

  program.commandsGroup("Runs:");
  configured(program.command("train"), "Train a model.")
    .option("--dry-run", "check everything, print what would run, start nothing")
    .addHelpText("after", trainHelp)
    .addHelpText(
      "after",
      examples(
        "verl train grpo.yaml",
        "verl train grpo.yaml trainer.total_epochs=2 actor_rollout_ref.rollout.n=16",
        "verl train grpo.yaml --dry-run",
      ),
    )
    .action((args: string[], flags: Flags) =>
      finish(
        import("./train-command.js").then(({ runTrain }) =>
          runTrain({ ...request(args, flags), dryRun: flags.dryRun === true }, io),
        ),
      ),
    );
  configured(program.command("generate"), "Sample responses from a model.")
    .option("--prompt <text>", "a single prompt instead of the prompts of data.train_files")
    .option("--output <file>", "JSONL file for the responses (default: standard output)")
    .addHelpText("after", examples("verl generate actor_rollout_ref.model.path=./model --prompt 'What is 2 + 2?'"))
    .action((args: string[], flags: Flags) =>
      finish(
        import("./generate-command.js").then(({ runGenerate }) =>
          runGenerate({ ...request(args, flags), prompt: textOf(flags.prompt), output: textOf(flags.output) }, io),
        ),
      ),
    );
  configured(program.command("eval"), "Score a model, or responses that exist already.")
    .option("--responses <file>", "file with a column `responses` to score; no model is loaded")
    .addHelpText(
      "after",
      examples("verl eval grpo.yaml actor_rollout_ref.model.path=checkpoints/verl/default/global_step_40/actor"),
    )
    .action((args: string[], flags: Flags) =>
      finish(
        import("./eval-command.js").then(({ runEval }) =>
          runEval({ ...request(args, flags), responses: textOf(flags.responses) }, io),
        ),
      ),
    );

  program.commandsGroup("Looking:");
  addConfigCommands(program, io, finish);
  configured(program.command("doctor"), "Check this machine: runtime, memory, disk, plugins, platforms, libraries.")
    .option("--model <path>", "also check a model's tokenizer and chat template")
    .action((args: string[], flags: Flags) =>
      finish(
        import("./doctor-command.js").then(({ doctorCommand }) =>
          doctorCommand({ ...request(args, flags), model: textOf(flags.model) }, io),
        ),
      ),
    );
  program
    .command("explain")
    .description("Explain an error code.")
    .argument("<code>", "e.g. VERL_CONFIG_UNKNOWN_KEY")
    .option("--json", "print JSON")
    .action((code: string, flags: Flags) =>
      finish(
        import("./explain-command.js").then(({ explainCodeCommand }) =>
          explainCodeCommand(code, { json: flags.json === true }, io),
        ),
      ),
    );
  return program;
}

function addConfigCommands(program: Command, io: CommandIo, finish: (result: Promise<number>) => Promise<void>): void {
  const config = program.command("config").description("Show, check and explain configurations.").helpCommand(false);
  configured(config.command("print"), "Print the composed configuration.")
    .option("--sources", "say where each value comes from")
    .action((args: string[], flags: Flags) =>
      finish(
        import("./config-command.js").then(({ printCommand }) =>
          printCommand({ ...request(args, flags), sources: flags.sources === true }, io),
        ),
      ),
    );
  configured(config.command("check"), "Find every problem without starting anything.").action(
    (args: string[], flags: Flags) =>
      finish(import("./config-command.js").then(({ checkCommand }) => checkCommand(request(args, flags), io))),
  );
  config
    .command("explain")
    .description("Say what a key means, what it takes, and where its value comes from.")
    .argument("[key]", "e.g. actor_rollout_ref.rollout.n; none lists every key")
    .argument("[args...]", CONFIG_ARGUMENTS)
    .addOption(new Option("--json", "print JSON"))
    .action((key: string | undefined, args: string[], flags: Flags) =>
      finish(
        import("./config-command.js").then(({ explainKeyCommand }) => explainKeyCommand(key, request(args, flags), io)),
      ),
    );
}

/** What the commands share that compose a configuration. */
function configured(command: Command, description: string): Command {
  return command
    .description(description)
    .argument("[args...]", CONFIG_ARGUMENTS)
    .option("--json", "print results and errors as JSON")
    .option("--allow-broken-plugins", "go on without plugins that fail, and list them")
    .option("--frozen-plugins", "demand exactly the plugins of the recorded lock")
    .addHelpText("after", OVERRIDES_HELP);
}

function request(args: readonly string[], flags: Flags) {
  return {
    ...splitArguments(args),
    json: flags.json === true,
    allowBrokenPlugins: flags.allowBrokenPlugins === true,
    frozenPlugins: flags.frozenPlugins === true,
  };
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? "" : "."}`;
const examples = (...lines: string[]): string => `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`;

const EXAMPLES = examples(
  "verl train grpo.yaml",
  "verl train grpo.yaml data.train_batch_size=32 --dry-run",
  "verl config explain actor_rollout_ref.rollout.n",
  "verl doctor --model ./model",
);
