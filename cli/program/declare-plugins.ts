import type { Command } from "commander";
import type { PluginsOutput, PluginsRequest } from "../plugins/plugins-list.js";
import { CONFIG_ARGUMENTS, configured, type Declaring, type Flags, lockFileOf, requestOf, textOf } from "./declare.js";
import { type CommandIo, printJson, printLine } from "./io.js";

/** `plugins list|tree|why|doctor|new|test`. */
export function declarePlugins(program: Command, { io, finish }: Declaring): void {
  program.commandsGroup("Extending:");
  const plugins = program
    .command("plugins")
    .description("Look at the plugins of a run; write and test one.")
    .helpCommand(false);

  configured(plugins.command("list"), "List what a run would load and what is installed; runs no plugin's code.")
    .option("--write-lock [file]", "record the lock that --frozen-plugins demands")
    .action(async (args: string[], flags: Flags) => {
      const request = await requested(args, flags, io);
      const lock = lockFileOf(flags.writeLock);
      if (lock === false) {
        const { listPlugins } = await import("../plugins/plugins-list.js");
        await finish(show(listPlugins(request), flags, io));
        return;
      }
      const { lockPlugins } = await import("../plugins/plugins-lock.js");
      await finish(show(await lockPlugins(request, lock), flags, io));
    });
  configured(plugins.command("tree"), "Load the plugins and show what each registers.").action(
    async (args: string[], flags: Flags) => {
      const { pluginTree } = await import("../plugins/plugins-command.js");
      await finish(show(await pluginTree(await requested(args, flags, io)), flags, io));
    },
  );
  plugins
    .command("why")
    .description("Say why a plugin is loaded or is not, or who registered a name.")
    .argument("<name>", "a package, a module, or a registered name such as grpo or cpu")
    .argument("[args...]", CONFIG_ARGUMENTS)
    .option("--json", "print results and errors as JSON")
    .action(async (name: string, args: string[], flags: Flags) => {
      const [{ whyPlugin }, { composeConfig }] = await Promise.all([
        import("../plugins/plugins-why.js"),
        import("../../core/config/index.js"),
      ]);
      const { cwd, env } = io;
      const composed = await composeConfig({ ...requestOf(args, flags), env, cwd });
      await finish(show(await whyPlugin(name, { cwd, env, plugins: composed.plugins }, composed), flags, io));
    });
  configured(plugins.command("doctor"), "Load the plugins, probe the platforms, say what is wrong.").action(
    async (args: string[], flags: Flags) => {
      const { pluginDoctor } = await import("../plugins/plugins-command.js");
      await finish(show(await pluginDoctor(await requested(args, flags, io)), flags, io));
    },
  );

  plugins
    .command("new")
    .description("Write the package of a plugin, with the conformance suites of what it adds.")
    .argument("[name]", "of the package, e.g. verl-acme; without one, the kinds are listed")
    .option("--kind <kinds>", "what it adds, e.g. tracker, or reward,hooks")
    .option("--dir <dir>", "where to write it (default: the name)")
    .option("--json", "print JSON")
    .action(async (name: string | undefined, flags: Flags) => {
      const { newPlugin } = await import("../plugins/plugins-new.js");
      const texts = { kinds: textOf(flags.kind), dir: textOf(flags.dir) };
      await finish(newPlugin({ name: name ?? null, ...texts, json: flags.json === true }, io));
    });
  plugins
    .command("test")
    .description("Load the package of a plugin and run the conformance suites of what it registers.")
    .argument("[dir]", "folder of the package, built", ".")
    .option("--skip <kinds>", "leave out the suites of these kinds", "")
    .option("--json", "print JSON")
    .action(async (dir: string, flags: Flags) => {
      const { testPlugin } = await import("../plugins/plugins-test.js");
      const skip = String(flags.skip).split(",");
      await finish(testPlugin({ dir, skip, json: flags.json === true }, io));
    });
}

/** The plugins that files and overrides name come from phase one of the configuration. */
async function requested(args: readonly string[], flags: Flags, { cwd, env }: CommandIo): Promise<PluginsRequest> {
  // Without any the defaults decide, and name none: the schema need not be loaded.
  if (args.length === 0) return { cwd, env, plugins: [] };
  const { composeConfig } = await import("../../core/config/index.js");
  const { plugins } = await composeConfig({ ...requestOf(args, flags), env, cwd });
  return { cwd, env, plugins };
}

function show({ text, json, exitCode }: PluginsOutput, flags: Flags, io: CommandIo): number {
  if (flags.json === true) printJson(io, json);
  else printLine(io.stdout, text);
  return exitCode;
}
