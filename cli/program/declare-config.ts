import type { Command } from "commander";
import { CONFIG_ARGUMENTS, configured, type Declaring, examples, type Flags, hosted, requestOf } from "./declare.js";

/** `config print|check|diff|explain`. */
export function declareConfig(program: Command, { io, finish }: Declaring): void {
  const config = program.command("config").description("Show, check and explain configurations.").helpCommand(false);
  configured(config.command("print"), "Print the composed configuration.")
    .option("--sources", "say where each value comes from")
    .option("--resolved", "with references resolved, which is always so")
    .action(async (args: string[], flags: Flags) => {
      const { printCommand } = await import("../config/config-command.js");
      await finish(printCommand({ ...requestOf(args, flags), sources: flags.sources === true }, io));
    });
  hosted(config.command("check"), "Find every problem without starting anything.").action(
    async (args: string[], flags: Flags) => {
      const { checkCommand } = await import("../config/config-check.js");
      await finish(checkCommand(requestOf(args, flags), io));
    },
  );
  config
    .command("diff")
    .description("Show the keys on which two configurations differ, with old and new value and the source of each.")
    .argument("<args...>", "two YAML files or folders of runs, and overrides of the second; see below")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      examples(
        "verl config diff base.yaml mine.yaml                        one file against another",
        "verl config diff grpo.yaml data.train_batch_size=32         what overrides change",
        "verl config diff grpo.yaml                                  what a file changes in the defaults",
        "verl config diff checkpoints/verl/default grpo.yaml         what a run had, against a file",
        "verl config diff base.yaml a.yaml x.y=1 vs base.yaml b.yaml any two command lines",
      ),
    )
    .action(async (args: string[], flags: Flags) => {
      const { diffCommand } = await import("../config/config-diff.js");
      await finish(diffCommand(args, { json: flags.json === true }, io));
    });
  config
    .command("explain")
    .description("Say what a key means, what it takes, and where its value comes from.")
    .argument("[key]", "e.g. actor_rollout_ref.rollout.n; none lists every key")
    .argument("[args...]", CONFIG_ARGUMENTS)
    .option("--search", "list the keys whose name or description holds the words")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      examples(
        "verl config explain data.seed",
        "verl config explain trainer.device grpo.yaml",
        "verl config explain --search temperature",
      ),
    )
    .action(async (key: string | undefined, args: string[], flags: Flags) => {
      const { explainKeyCommand, searchKeysCommand } = await import("../config/config-command.js");
      const words = key === undefined ? [] : [key, ...args];
      if (key === undefined || flags.search === true) {
        await finish(searchKeysCommand(words, { json: flags.json === true }, io));
      } else await finish(explainKeyCommand(key, requestOf(args, flags), io));
    });
}
