import type { Command } from "commander";
import {
  CONFIG_ARGUMENTS,
  configured,
  type Declaring,
  examples,
  type Flags,
  hosted,
  requestOf,
  textOf,
} from "./declare.js";

/** `config`, `doctor`, `explain`. */
export function declareLooking(program: Command, declaring: Declaring): void {
  const { io, finish } = declaring;
  program.commandsGroup("Looking:");
  declareConfig(program, declaring);

  configured(program.command("doctor"), "Check this machine: runtime, memory, disk, plugins, platforms, libraries.")
    .option("--model <path>", "also check a model's tokenizer and chat template")
    .action(async (args: string[], flags: Flags) => {
      const { doctorCommand } = await import("./doctor-command.js");
      await finish(doctorCommand({ ...requestOf(args, flags), model: textOf(flags.model) }, io));
    });

  program
    .command("explain")
    .description("Explain an error code.")
    .argument("<code>", "e.g. VERL_CONFIG_UNKNOWN_KEY")
    .option("--json", "print JSON")
    .action(async (code: string, flags: Flags) => {
      const { explainCodeCommand } = await import("./explain-command.js");
      await finish(explainCodeCommand(code, { json: flags.json === true }, io));
    });
}

function declareConfig(program: Command, { io, finish }: Declaring): void {
  const config = program.command("config").description("Show, check and explain configurations.").helpCommand(false);
  configured(config.command("print"), "Print the composed configuration.")
    .option("--sources", "say where each value comes from")
    .action(async (args: string[], flags: Flags) => {
      const { printCommand } = await import("./config-command.js");
      await finish(printCommand({ ...requestOf(args, flags), sources: flags.sources === true }, io));
    });
  hosted(config.command("check"), "Find every problem without starting anything.").action(
    async (args: string[], flags: Flags) => {
      const { checkCommand } = await import("./config-command.js");
      await finish(checkCommand(requestOf(args, flags), io));
    },
  );
  config
    .command("explain")
    .description("Say what a key means, what it takes, and where its value comes from.")
    .argument("[key]", "e.g. actor_rollout_ref.rollout.n; none lists every key")
    .argument("[args...]", CONFIG_ARGUMENTS)
    .option("--json", "print JSON")
    .addHelpText("after", examples("verl config explain data.seed", "verl config explain trainer.device grpo.yaml"))
    .action(async (key: string | undefined, args: string[], flags: Flags) => {
      const { explainKeyCommand } = await import("./config-command.js");
      await finish(explainKeyCommand(key, requestOf(args, flags), io));
    });
}
