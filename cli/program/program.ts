import { Command } from "commander";
import { type Declaring, examples } from "./declare.js";
import { declareLooking } from "./declare-looking.js";
import { declarePlugins } from "./declare-plugins.js";
import { declareRuns } from "./declare-runs.js";
import { VERSION } from "./version.js";

const EXAMPLES = examples(
  "verl train grpo.yaml",
  "verl train grpo.yaml data.train_batch_size=32 --dry-run",
  "verl config explain actor_rollout_ref.rollout.n",
  "verl doctor --model ./model",
);

/** What only some calls know how to say. */
export interface AddedHelp {
  /** Below the help of `train`. */
  readonly train?: string;
  /** Below the list of commands. */
  readonly commands?: string;
}

/** The `verl` command. Its actions import what they run when they run, so that `--help` loads nothing heavy. */
export function createProgram(declaring: Declaring, { train = "", commands = "" }: AddedHelp = {}): Command {
  const { io } = declaring;
  const program = new Command("verl")
    .description("Reinforcement learning for language models: train, look, extend.")
    .version(VERSION, "-V, --version", "show the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      // Errors are reported as cards by the caller.
      writeErr: () => {},
      getOutHasColors: () => io.color.stdout,
    })
    .addHelpText("after", commands + EXAMPLES);
  declareRuns(program, declaring, train);
  declareLooking(program, declaring);
  declarePlugins(program, declaring);
  return program;
}
