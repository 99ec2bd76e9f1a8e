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

/** `config`, `doctor`, `inspect`, `explain`. */
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

  declareInspect(program, declaring);

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

function declareInspect(program: Command, { io, finish }: Declaring): void {
  program
    .command("inspect")
    .description("Look at sampled trajectories: tokens, log-probabilities, rewards, tool calls.")
    .argument(
      "<place>",
      "a run's folder, its samples.jsonl, a dump or a folder of dumps, or what `verl generate` wrote",
    )
    .option("--step <steps>", "only these: 3, 3-5 or last")
    .option("--split <split>", "only `train` or `val`")
    .option("--uid <text>", "only keys that begin with it: a prompt's uid, or one session of it")
    .option("--source <name>", "only this data source")
    .option("--stop <reason>", "only what ended for this reason, e.g. length")
    .option("--sort <order>", "file, worst or best (score), gap (largest), longest", "file")
    .option("--limit <n>", "show so many (default: 5; 200 with --list, --html or --json)")
    .option("--list", "one line each, in groups by prompt")
    .option("--tokens", "add a table of every token")
    .option("--heat <what>", "mark tokens by `gap` (trainer to sampler), `probability`, or `none`")
    .option("--tool-format <name>", "read tool calls in this format (default: the run's, else hermes)")
    .option("--html <file>", "write a page that is complete in itself instead")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      examples(
        "verl inspect checkpoints/verl/default --sort worst",
        "verl inspect rollouts/12.jsonl --uid 0000000044 --tokens",
        "verl inspect run --step 10-20 --sort gap --limit 50 --html gap.html",
      ),
    )
    .action(async (place: string, flags: Flags) => {
      const { inspectCommand } = await import("./inspect/inspect-command.js");
      const { step, split, uid, source, stop, sort, limit, heat, toolFormat, html } = flags;
      const texts = { step, split, uid, source, stop, limit, heat, toolFormat, html };
      const request = Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, textOf(value)])) as Record<
        keyof typeof texts,
        string | null
      >;
      const switches = { list: flags.list === true, tokens: flags.tokens === true, json: flags.json === true };
      await finish(inspectCommand({ place, sort: String(sort), ...request, ...switches }, io));
    });
}
