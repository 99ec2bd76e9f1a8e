import assert from "node:assert/strict";
import { createHost } from "../../core/index.js";
import { isVerlError, type PluginCommand, RESERVED_COMMANDS, type Registries } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";
import { fakeCommandContext } from "./fake-context.js";

export interface CommandUnderTest {
  readonly command: PluginCommand;
  /** Words with which it ends well; none are tried where this is left out. */
  readonly calls?: readonly (readonly string[])[];
  readonly cwd?: string;
  /** What it finds registered; nothing where this is left out. */
  readonly registries?: Registries;
}

/** What every command of a plugin must do. Run it with `runConformance`. */
export function commandConformance(subject: CommandUnderTest): ConformanceCase[] {
  const { command, calls = [], cwd = process.cwd() } = subject;
  const run = async (args: readonly string[]) => {
    const host = subject.registries ? null : await createHost({ cwd, env: {} });
    try {
      const io = fakeCommandContext({ args, cwd, registries: subject.registries ?? (host?.registries as Registries) });
      const code = await command.run(io.context);
      assert.ok(code === undefined || (Number.isInteger(code) && code >= 0 && code < 256), `exit code ${code}`);
      return { code: code ?? 0, stdout: io.out(), stderr: io.err() };
    } finally {
      await host?.dispose();
    }
  };
  return [
    {
      name: "has a name that is free, and says in a line what it is for",
      async run() {
        const { name, description, usage = "" } = command;
        assert.match(name, /^[a-z0-9][a-z0-9._-]*$/);
        assert.ok(!RESERVED_COMMANDS.includes(name), `\`verl ${name}\` is built in`);
        for (const text of [description, usage]) assert.ok(!text.includes("\n"), "one line");
        assert.ok(description.trim() !== "");
      },
    },
    {
      name: "refuses words that it does not know: another exit code than 0, or an error with a code",
      async run() {
        const refused = await run(["--no-such-option-of-any-command"]).then(({ code }) => code !== 0, isVerlError);
        assert.ok(refused);
      },
    },
    ...calls.map((args) => ({
      name: `runs: verl ${[command.name, ...args].join(" ")}`,
      async run() {
        const { code, stderr } = await run(args);
        assert.equal(code, 0, stderr);
      },
    })),
    ...calls.slice(0, 1).map((args) => ({
      name: "says the same when it is called again, without colours where none are wanted",
      async run() {
        const first = await run(args);
        assert.ok(!`${first.stdout}${first.stderr}`.includes("\u001b["), "no colours");
        assert.equal((await run(args)).code, first.code);
      },
    })),
    {
      name: "leaves the working directory and the environment as they were",
      async run() {
        const before = { cwd: process.cwd(), env: { ...process.env } };
        for (const args of calls) await run(args);
        assert.deepEqual({ cwd: process.cwd(), env: { ...process.env } }, before);
      },
    },
  ];
}
