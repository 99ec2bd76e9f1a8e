import type { Command } from "commander";
import { type Declaring, examples, type Flags, hosted, requestOf, textOf, wholeNumber } from "./declare.js";

/** `new`, `train`, `profile`, `generate`, `eval`, `debug`. `trainHelp` is added to the help of `train`. */
export function declareRuns(program: Command, { io, finish }: Declaring, trainHelp: string): void {
  program.commandsGroup("Runs:");
  program
    .command("new")
    .description("Write a project that can be run: data, reward, configuration, tests.")
    .argument("[dir]", "a folder that is not there yet; without one, the templates are listed")
    .option("--template <name>", "what to start from", "letters")
    .option("--json", "print JSON")
    .addHelpText("after", examples("verl new my-run", "verl new my-run --template chat", "npm create verl-ts my-run"))
    .action(async (target: string | undefined, flags: Flags) => {
      const { newCommand } = await import("../new-command.js");
      const request = { target: target ?? null, template: String(flags.template), json: flags.json === true };
      await finish(newCommand(request, io));
    });

  hosted(program.command("train"), "Train a model.")
    .option("--dry-run", "check everything, print what would run, start nothing")
    .option("--tui", "a live picture that fills the terminal instead of a line a step")
    .addHelpText("after", trainHelp)
    .addHelpText(
      "after",
      examples(
        "verl train grpo.yaml",
        "verl train grpo.yaml trainer.total_epochs=2 actor_rollout_ref.rollout.n=16",
        "verl train grpo.yaml --dry-run",
      ),
    )
    .action(async (args: string[], flags: Flags) => {
      const { runTrain } = await import("../runs/train-command.js");
      await finish(runTrain({ ...requestOf(args, flags), dryRun: flags.dryRun === true, tui: flags.tui === true }, io));
    });

  hosted(program.command("profile"), "Run a few steps and say where their time and memory go.")
    .option("--steps <n>", "how many, after one that warms up", wholeNumber("--steps"), 2)
    .option("--trace <file>", "write a trace for Perfetto and chrome://tracing")
    .addHelpText("after", examples("verl profile grpo.yaml", "verl profile grpo.yaml --steps 3 --trace trace.json"))
    .action(async (args: string[], flags: Flags) => {
      const { runProfile } = await import("../profile/profile-command.js");
      const own = { steps: flags.steps as number, trace: textOf(flags.trace) };
      await finish(runProfile({ ...requestOf(args, flags), ...own }, io));
    });

  hosted(program.command("generate"), "Sample responses from a model.")
    .option("--prompt <text>", "a single prompt instead of the prompts of data.train_files")
    .option("--output <file>", "JSONL file for the responses (default: standard output)")
    .addHelpText("after", examples("verl generate actor_rollout_ref.model.path=./model --prompt 'What is 2 + 2?'"))
    .action(async (args: string[], flags: Flags) => {
      const { runGenerate } = await import("../runs/generate-command.js");
      const own = { prompt: textOf(flags.prompt), output: textOf(flags.output) };
      await finish(runGenerate({ ...requestOf(args, flags), ...own }, io));
    });

  hosted(program.command("eval"), "Score a model, or responses that exist already.")
    .option("--responses <file>", "file with a column `responses` to score; no model is loaded")
    .addHelpText("after", examples("verl eval grpo.yaml", "verl eval grpo.yaml --responses responses.jsonl"))
    .action(async (args: string[], flags: Flags) => {
      const { runEval } = await import("../runs/eval-command.js");
      await finish(runEval({ ...requestOf(args, flags), responses: textOf(flags.responses) }, io));
    });

  declareDebug(program, { io, finish });
}

function declareDebug(program: Command, { io, finish }: Declaring): void {
  const debug = program.command("debug").description("Run one half of training alone.").helpCommand(false);
  hosted(debug.command("rollout"), "Sample and score steps as training would; train nothing.")
    .option("--steps <n>", "how many", wholeNumber("--steps"), 1)
    .option("--output <dir>", "write each step to DIR/STEP.jsonl")
    .addHelpText("after", examples("verl debug rollout grpo.yaml --steps 3 --output sampled"))
    .action(async (args: string[], flags: Flags) => {
      const { debugRollout } = await import("../runs/debug-command.js");
      const own = { steps: flags.steps as number, output: textOf(flags.output) };
      await finish(debugRollout({ ...requestOf(args, flags), ...own }, io));
    });
  hosted(debug.command("train"), "Train on recorded trajectories; sample nothing, save nothing.")
    .requiredOption("--data <place>", "a dump, a folder of dumps, or a run's folder")
    .addHelpText("after", examples("verl debug train grpo.yaml --data sampled actor_rollout_ref.actor.optim.lr=1e-5"))
    .action(async (args: string[], flags: Flags) => {
      const { debugTrain } = await import("../runs/debug-command.js");
      await finish(debugTrain({ ...requestOf(args, flags), data: String(flags.data) }, io));
    });
}
