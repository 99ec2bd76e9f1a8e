import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { verl } from "../../../core/trainer/support/child.js";
import { ECHO, LETTER_CALLS, writeLetters } from "../../../core/trainer/support/letter-calls.js";
import { ToyFolder } from "../../../core/trainer/support/toy-run.js";
import { TOY_OVERRIDES } from "../../../core/trainer/support/toy-task.js";
import { processesWith } from "./processes.js";

const SERVER = fileURLToPath(new URL("./holding-server.js", import.meta.url));

const WITH_TOOLS = [
  ...TOY_OVERRIDES,
  ...LETTER_CALLS,
  "actor_rollout_ref.rollout.multi_turn.tool_config_path=tools.yaml",
  "trainer.save_freq=1",
  "trainer.logger=[console, jsonl]",
];

describe("Ctrl-C with an MCP server", function () {
  this.timeout(120_000);
  const marker = `verl-mcp-ctrl-c-${process.pid}`;
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create();
    await writeLetters(folder, ECHO);
    await folder.write("tools.yaml", "tools:\n  - name: mcp\n    mcp: { mcp_servers_config_path: servers.json }\n");
    const server = { command: process.execPath, args: [SERVER, marker, folder.dir] };
    await folder.write("servers.json", JSON.stringify({ mcpServers: { holding: server } }));
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const appears = async (file: string) => {
    while (!existsSync(folder.at(file))) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  /** A run in a terminal's foreground, as it were: the signal goes to everything in its process group. */
  function run() {
    let child: ChildProcess | null = null;
    let stderr = "";
    const ended = verl(["train", ...WITH_TOOLS, "trainer.total_training_steps=100000"], {
      cwd: folder.dir,
      detached: true,
      onOutput(output, from) {
        child = from;
        ({ stderr } = output);
      },
    });
    const says = async (text: string) => {
      while (!stderr.includes(text)) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    return { ended, says, interrupt: () => process.kill(-(child?.pid as number), "SIGINT") };
  }
  /** The step of the newest checkpoint, which a later run goes on from. */
  async function lastWhole(): Promise<number> {
    const step = Number(await folder.read("run", "latest_checkpointed_iteration.txt"));
    const left = await readdir(folder.at("run"), { recursive: true });
    expect(left.filter((name) => /\.tmp|\.old|lock/.test(name))).to.deep.equal([]);
    const { tracker } = await folder.train({ overrides: [`trainer.total_training_steps=${step + 1}`] });
    expect(tracker.steps.map(({ step }) => step)).to.deep.equal([step + 1]);
    return step;
  }

  it("once: the step is finished with its calls and saved, and nothing of the server is left", async () => {
    const { ended, interrupt } = run();
    await appears("called");
    expect(await processesWith(marker)).to.have.length(2);
    await appears("run/latest_checkpointed_iteration.txt");
    interrupt();
    const { code, stderr } = await ended;
    expect(code, stderr).to.equal(130);
    expect(stderr).to.contain("finishing this step and saving");
    expect(await processesWith(marker)).to.deep.equal([]);
    expect(await lastWhole()).to.be.at.least(1);
  });

  it("twice, with a call that never ends: the run is aborted, nothing of the server is left, the last checkpoint is whole", async () => {
    const { ended, interrupt, says } = run();
    await appears("run/latest_checkpointed_iteration.txt");
    await folder.write("hold", "");
    await appears("holding");
    interrupt();
    await says("finishing this step and saving");
    expect(await processesWith(marker)).to.have.length(2);
    interrupt();
    const { code, stderr } = await ended;
    expect(code, stderr).to.equal(130);
    expect(stderr).to.contain("SIGINT: aborting");
    expect(await processesWith(marker)).to.deep.equal([]);
    expect(await lastWhole()).to.be.at.least(1);
  });

  it("before the run has begun: a server that does not answer is ended too", async () => {
    const silent = `setInterval(() => {}, 1000); process.on("SIGTERM", () => {}); require("fs").writeFileSync("started", ""); // ${marker}`;
    const server = { command: process.execPath, args: ["-e", silent] };
    await folder.write("servers.json", JSON.stringify({ mcpServers: { silent: server } }));
    const { ended, interrupt } = run();
    await appears("started");
    interrupt();
    const { code, stderr } = await ended;
    expect(code, stderr).to.equal(130);
    expect(await processesWith(marker)).to.deep.equal([]);
  });
});
