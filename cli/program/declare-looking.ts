import { Argument, type Command, Option } from "commander";
import { EXPORT_FORMATS } from "../export/formats.js";
import { HEATS, ORDERS, SPLITS } from "../inspect/choices.js";
import { configured, type Declaring, examples, type Flags, requestOf, textOf, wholeNumber } from "./declare.js";
import { declareConfig } from "./declare-config.js";

/** `config`, `doctor`, `inspect`, `compare`, `export`, `replay`, `checkpoints`, `dashboard`, `explain`, `help`, `completion`. */
export function declareLooking(program: Command, declaring: Declaring): void {
  const { io, finish } = declaring;
  program.commandsGroup("Looking:");
  declareConfig(program, declaring);

  configured(
    program.command("doctor"),
    "Check this machine, its clock and libraries, and the servers that a configuration names.",
  )
    .option("--model <path>", "also check a model: its files, weights, tokenizer and chat template")
    .option("--scan-seconds <n>", "longest look at the weights' values; 0: none", wholeNumber("--scan-seconds", 0), 60)
    .action(async (args: string[], flags: Flags) => {
      const { doctorCommand } = await import("../doctor/doctor-command.js");
      const own = { model: textOf(flags.model), scanSeconds: flags.scanSeconds as number };
      await finish(doctorCommand({ ...requestOf(args, flags), ...own }, io));
    });

  declareInspect(program, declaring);
  declareCompare(program, declaring);
  declareExport(program, declaring);
  declareReplay(program, declaring);
  program
    .command("checkpoints")
    .description("List the checkpoints of a run, and say where it would go on.")
    .argument("<place>", "a run's folder, or a folder of checkpoints")
    .option("--json", "print JSON")
    .action(async (place: string, flags: Flags) => {
      const { checkpointsCommand } = await import("../runs/checkpoints-command.js");
      await finish(checkpointsCommand({ place, json: flags.json === true }, io));
    });
  declareDashboard(program, declaring);

  program
    .command("explain")
    .description("Explain an error code.")
    .argument("<code>", "e.g. VERL_CONFIG_UNKNOWN_KEY")
    .option("--json", "print JSON")
    .action(async (code: string, flags: Flags) => {
      const { explainCodeCommand } = await import("./explain-command.js");
      await finish(explainCodeCommand(code, { json: flags.json === true }, io));
    });

  program
    .command("help")
    .description("Show a command's help, or search commands, options, keys and error codes for words.")
    .argument("[words...]", "a command such as config diff, or any words")
    .option("--json", "print JSON")
    .addHelpText("after", examples("verl help config diff", "verl help learning rate", "verl help resume"))
    .action(async (words: string[], flags: Flags) => {
      const { showHelp } = await import("./help-command.js");
      await finish(showHelp(program, words, { json: flags.json === true }, io));
    });

  program
    .command("completion")
    .description("Print the script that completes commands, keys and names in a shell.")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
    .addHelpText("after", examples("source <(verl completion bash)", "verl completion fish | source"))
    .action(async (shell: "bash" | "zsh" | "fish") => {
      const { completionCommand } = await import("../completion/completion-command.js");
      await finish(completionCommand(shell, program, io));
    });
}

function declareInspect(program: Command, { io, finish }: Declaring): void {
  program
    .command("inspect")
    .description("Look at sampled trajectories: tokens, log-probabilities, rewards, tool calls; or at traces.")
    .argument(
      "<place>",
      "a run's folder, its samples.jsonl or traces.jsonl, a dump or a folder of dumps, or what `verl generate` wrote",
    )
    .option("--step <steps>", "only these: 3, 3-5 or last")
    .addOption(new Option("--split <split>", "only one of both").choices(SPLITS))
    .option("--uid <text>", "only keys that begin with it: a prompt's uid, or one session of it")
    .option("--source <name>", "only this data source")
    .option("--stop <reason>", "only what ended for this reason, e.g. length")
    .addOption(new Option("--sort <order>", "by score, by the largest gap, by length").choices(ORDERS).default("file"))
    .option("--limit <n>", "show so many (default: 5; 200 with --list, --html or --json)", wholeNumber("--limit"))
    .option("--list", "one line each, in groups by prompt")
    .option("--tokens", "add a table of every token")
    .option("--spans", "the run's traces instead: what turns, tools, rewards and steps took")
    .addOption(
      new Option("--heat <what>", "what tokens are marked by; default: the gap, where it is known").choices(HEATS),
    )
    .option("--tool-format <name>", "read tool calls in this format (default: the run's, else hermes)")
    .option("--html <file>", "write a page that is complete in itself instead")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      examples(
        "verl inspect checkpoints/verl/default --sort worst",
        "verl inspect rollouts/12.jsonl --uid 0000000044 --tokens",
        "verl inspect run --step 10-20 --sort gap --limit 50 --html gap.html",
        "verl inspect run --spans --sort longest",
      ),
    )
    .action(async (place: string, flags: Flags) => {
      const { inspectCommand } = await import("../inspect/inspect-command.js");
      const { step, uid, source, stop, toolFormat, html } = flags;
      const texts = { step, uid, source, stop, toolFormat, html };
      const request = Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, textOf(value)])) as Record<
        keyof typeof texts,
        string | null
      >;
      const chosen = {
        limit: (flags.limit ?? null) as number | null,
        split: (flags.split ?? null) as (typeof SPLITS)[number] | null,
        sort: flags.sort as (typeof ORDERS)[number],
        heat: (flags.heat ?? null) as (typeof HEATS)[number] | null,
      };
      const on = (name: string) => flags[name] === true;
      const switches = { list: on("list"), tokens: on("tokens"), spans: on("spans"), json: on("json") };
      await finish(inspectCommand({ place, ...request, ...chosen, ...switches }, io));
    });
}

function declareCompare(program: Command, { io, finish }: Declaring): void {
  const several = (value: string, before: readonly string[]) => [...before, value];
  program
    .command("compare")
    .description("Put runs side by side: validation, metrics, settings.")
    .argument("<run>", "a run's folder")
    .argument("<runs...>", "folders of the runs to compare with it")
    .option("--metric <name>", "add a metric, or several with *, as in 'actor/*'; may be repeated", several, [])
    .option("--html <file>", "write a page with all curves instead")
    .option("--json", "print JSON")
    .addHelpText("after", examples("verl compare checkpoints/verl/a checkpoints/verl/b --metric 'actor/grad_norm'"))
    .action(async (first: string, others: string[], flags: Flags) => {
      const { compareCommand } = await import("../compare/compare-command.js");
      const request = { runs: [first, ...others], metrics: flags.metric as string[], html: textOf(flags.html) };
      await finish(compareCommand({ ...request, json: flags.json === true }, io));
    });
}

function declareExport(program: Command, { io, finish }: Declaring): void {
  const several = (value: string, before: readonly string[]) => [...before, value];
  program
    .command("export")
    .description("Write the metrics of a run as CSV, Parquet or JSON lines, one row a step, or hand them to a tracker.")
    .argument("<run>", "a run's folder")
    .option("-o, --output <file>", "where to; its ending says the format (default: CSV on standard output)")
    .addOption(new Option("--format <format>", "instead of what the ending says").choices(EXPORT_FORMATS))
    .option("--metric <name>", "only this metric, or several with *, as in 'actor/*'; may be repeated", several, [])
    .option("--to <tracker>", "instead of a file: tensorboard, wandb, swanlab, trackio, mlflow or one of a plugin")
    .option("--json", "print where it was written, and how much, as JSON")
    .addHelpText(
      "after",
      examples(
        "verl export checkpoints/verl/a > a.csv",
        "verl export checkpoints/verl/a --metric 'val-*' -o a.parquet",
        "verl export checkpoints/verl/a --to tensorboard",
      ),
    )
    .action(async (run: string, flags: Flags) => {
      const to = textOf(flags.to);
      if (to !== null) {
        const { exportToTracker } = await import("../export/export-to-tracker.js");
        const { metric, json, output, format } = flags;
        const request = { run, to, metrics: metric as string[], json: json === true };
        await finish(exportToTracker({ ...request, isFile: Boolean(output ?? format) }, io));
        return;
      }
      const { exportCommand } = await import("../export/export-command.js");
      const format = (flags.format ?? null) as (typeof EXPORT_FORMATS)[number] | null;
      const request = { run, output: textOf(flags.output), format, metrics: flags.metric as string[] };
      await finish(exportCommand({ ...request, json: flags.json === true }, io));
    });
}

function declareDashboard(program: Command, { io, finish }: Declaring): void {
  program
    .command("dashboard")
    .description(
      "Show runs on a local page: curves, trajectories, validation, settings; follows those that are running.",
    )
    .argument("[folders...]", "folders of runs, or above them (default: checkpoints, else the working directory)")
    .option("--port <n>", "listen there (default: 4680, or a free one); 0 takes any free one")
    .option("--host <address>", "listen on another address than 127.0.0.1; then a key is needed, which is printed")
    .option("--open", "open it in the browser")
    .option("--json", "print the address as JSON")
    .addHelpText("after", examples("verl dashboard", "verl dashboard checkpoints/verl/a checkpoints/verl/b --open"))
    .action(async (folders: string[], flags: Flags) => {
      const { dashboardCommand } = await import("../dashboard/dashboard-command.js");
      const { host, port, open, json } = flags;
      const switches = { open: open === true, json: json === true };
      await finish(dashboardCommand({ folders, host: textOf(host), port: textOf(port), ...switches }, io));
    });
}

function declareReplay(program: Command, { io, finish }: Declaring): void {
  program
    .command("replay")
    .description("Sample a recorded trajectory again, with its seed, draw and weights, and say where the two part.")
    .argument("<run>", "a run's folder")
    .argument("[key]", "beginning of a trajectory's key (default: the latest whose weights are kept)")
    .argument("[args...]", "overrides of the run's configuration")
    .option("--step <n>", "of this step", wholeNumber("--step"))
    .addOption(new Option("--split <split>", "of one of both").choices(SPLITS))
    .option("--json", "print JSON")
    .addHelpText("after", examples("verl replay checkpoints/verl/default", "verl replay run 0000000044-1f4f75a1_2"))
    .action(async (run: string, key: string | undefined, args: string[], flags: Flags) => {
      const { replayCommand } = await import("../replay/replay-command.js");
      // An override may come first: keys of trajectories hold no "=".
      const named = key !== undefined && !/^[+~]|=/.test(key);
      const { overrides } = requestOf(named || key === undefined ? args : [key, ...args], flags);
      const step = (flags.step ?? null) as number | null;
      const split = (flags.split ?? null) as (typeof SPLITS)[number] | null;
      await finish(
        replayCommand({ run, key: named ? key : null, overrides, step, split, json: flags.json === true }, io),
      );
    });
}
