import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { namespacesSandbox } from "../../../plugins/sandbox/index.js";
import { verl } from "../../core/trainer/support/child.js";
import { reproducibleLines } from "../../core/trainer/support/compare.js";
import { ECHO, LETTER_CALLS, writeLetters } from "../../core/trainer/support/letter-calls.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { TOY_OVERRIDES } from "../../core/trainer/support/toy-task.js";
import { descendantsOf, isRunning, type RunningProcess } from "../../plugins/tools/mcp/processes.js";

const SERVER = fileURLToPath(new URL("../../plugins/tools/mcp/holding-server.js", import.meta.url));
const STEPS = 3;
/** Elsewhere no program runs in it. */
const { available: hasSandbox } = await namespacesSandbox.probe();

interface Case {
  /** JavaScript of a call. */
  readonly call: string;
  readonly overrides: readonly string[];
  readonly files: (folder: ToyFolder) => Readonly<Record<string, string>>;
  /** Whether a call is under way that will not end. */
  readonly isHolding: (folder: ToyFolder, processes: readonly { readonly command: string }[]) => boolean;
}

const PROGRAM: Case = {
  call: `{ name: "code_interpreter", arguments: JSON.stringify({ code: exists("hold") ? "sleep 1000 & sleep 1001" : "echo k" }) }`,
  overrides: ["actor_rollout_ref.rollout.multi_turn.tool_config_path=tools.yaml"],
  files: () => ({ "tools.yaml": "tools:\n  - name: code_interpreter\n    config: { languages: [bash] }\n" }),
  isHolding: (_, processes) => processes.some(({ command }) => /sleep\0?1001/.test(command)),
};

const hasSaid = (folder: ToyFolder) => existsSync(folder.at("holding"));
const CASES: Readonly<Record<string, Case>> = {
  "a function": {
    call: ECHO,
    overrides: ["actor_rollout_ref.rollout.multi_turn.function_tool_path=./tools.mjs"],
    files: () => ({
      "tools.mjs": `
import { existsSync, writeFileSync } from "node:fs";
export const echo = {
  name: "echo",
  schema: { type: "function", function: { name: "echo", parameters: { type: "object" } } },
  async execute() {
    if (existsSync("hold")) {
      writeFileSync("holding", "");
      await new Promise((resolve) => setTimeout(resolve, 1e6));
    }
    return { text: "k", reward: 1 };
  },
};`,
    }),
    isHolding: hasSaid,
  },
  "an MCP server that stays when it is asked to go, with a child of its own": {
    call: ECHO,
    overrides: ["actor_rollout_ref.rollout.multi_turn.tool_config_path=tools.yaml"],
    files: (folder) => ({
      "tools.yaml": "tools:\n  - name: mcp\n    mcp: { mcp_servers_config_path: servers.json }\n",
      "servers.json": JSON.stringify({
        mcpServers: { holding: { command: process.execPath, args: [SERVER, "in a call", folder.dir] } },
      }),
    }),
    isHolding: hasSaid,
  },
  ...(hasSandbox ? { "a program in the sandbox": PROGRAM } : {}),
};

describe("verl train, killed in the midst of a tool's call", function () {
  this.timeout(240_000);

  for (const [name, { call, overrides, files, isHolding }] of Object.entries(CASES)) {
    it(`of ${name}: nothing of it is left, and the resumed run is the one that was not disturbed`, async () => {
      const run = async (folder: ToyFolder, onStarted?: (child: ChildProcess) => void) => {
        const args = [...TOY_OVERRIDES, ...LETTER_CALLS, ...overrides];
        const own = [`trainer.total_training_steps=${STEPS}`, "trainer.save_freq=1", "trainer.rollout_data_dir=dump"];
        return verl(["train", ...args, ...own, "trainer.logger=[jsonl]"], { cwd: folder.dir, onStarted });
      };
      const prepared = async () => {
        const folder = await ToyFolder.create();
        await writeLetters(folder, call);
        for (const [file, text] of Object.entries(files(folder))) await folder.write(file, text);
        return folder;
      };

      await using whole = await prepared();
      const undisturbed = await run(whole);
      expect(undisturbed.code, undisturbed.stderr).to.equal(0);

      await using folder = await prepared();
      let child: ChildProcess | null = null;
      const ended = run(folder, (started) => {
        child = started;
      });
      await until("a checkpoint", () => existsSync(folder.at("run/latest_checkpointed_iteration.txt")));
      await folder.write("hold", "");
      const pid = (child as ChildProcess | null)?.pid as number;
      let processes: readonly RunningProcess[] = [];
      await until("a call that does not end", async () => {
        processes = await descendantsOf(pid);
        return isHolding(folder, processes);
      });
      process.kill(pid, "SIGKILL");
      const { signal, stderr } = await ended;
      expect(signal, stderr).to.equal("SIGKILL");
      await until("the end of what it started", () => !processes.some((one) => isRunning(one.pid)));
      for (const file of await readdir(folder.at("dump"))) {
        // What is there is whole: a file takes its name when it is complete.
        if (!file.endsWith(".jsonl")) continue;
        for (const line of (await folder.read("dump", file)).trimEnd().split("\n")) JSON.parse(line);
      }

      await folder.remove("hold");
      const resumed = await run(folder);
      expect(resumed.code, resumed.stderr).to.equal(0);
      const [result, expected] = [await resultOf(folder), await resultOf(whole)];
      for (const part of Object.keys(expected) as (keyof typeof expected)[]) {
        expect(result[part], part).to.deep.equal(expected[part]);
      }
    });
  }
});

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const begun = performance.now(); !(await isSo()); await sleep(10)) {
    if (performance.now() - begun > 60_000) throw new Error(`waited too long for ${what}`);
  }
}

/** Everything that a run leaves, without times. */
async function resultOf(folder: ToyFolder) {
  const dumps = (await readdir(folder.at("dump"))).sort();
  const texts = await Promise.all(dumps.map((file) => folder.read("dump", file)));
  const actor = ["run", `global_step_${STEPS}`, "actor"] as const;
  return {
    dumps,
    // Rows name their file.
    trajectories: texts.map((text) => text.replaceAll(folder.dir, "")),
    files: (await readdir(folder.at("run"))).sort(),
    metrics: reproducibleLines(await folder.read("run", "metrics.jsonl")),
    weights: await folder.read(...actor, "table.json"),
    optimizer: await folder.read(...actor, "table-optimizer.json"),
  };
}
