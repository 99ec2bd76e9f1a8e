import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { ECHO, LETTER_CALLS, writeLetters } from "../../../core/trainer/support/letter-calls.js";
import { ToyFolder } from "../../../core/trainer/support/toy-run.js";
import { processesWith } from "./processes.js";

const SERVER = fileURLToPath(new URL("./dying-server.js", import.meta.url));

describe("a run whose MCP server dies again and again", () => {
  it("goes on: calls in flight are failures that the model reads, and later ones start the server again", async function () {
    this.timeout(60_000);
    const marker = `verl-mcp-dying-${process.pid}`;
    await using folder = await ToyFolder.create();
    await writeLetters(folder, ECHO);
    const mcp = "{ mcp_servers_config_path: servers.json, reconnect_delay_s: 0 }";
    // Paths are relative to the folder of the run.
    await folder.write("tools.yaml", `tools:\n  - name: mcp\n    mcp: ${mcp}\n`);
    const dying = { command: process.execPath, args: [SERVER, marker] };
    await folder.write("servers.json", JSON.stringify({ mcpServers: { dying } }));
    const { tracker, log } = await folder.train({
      overrides: [
        ...LETTER_CALLS,
        "actor_rollout_ref.rollout.multi_turn.tool_config_path=tools.yaml",
        "actor_rollout_ref.rollout.max_num_seqs=2",
        "trainer.total_training_steps=3",
        "trainer.rollout_data_dir=dump",
      ],
    });
    const sum = (name: string) => tracker.steps.reduce((all, { metrics }) => all + (metrics[name] ?? 0), 0);
    expect(sum("tool/ok")).to.be.above(3);
    expect(sum("tool/failed")).to.be.above(0);
    expect(sum("tool/echo/api_request_error")).to.equal(sum("tool/failed"));
    expect(log.filter((line) => line.includes('the MCP server "dying" ended'))).to.have.length(1);
    const dumped = await folder.read("dump", "1.jsonl");
    expect(dumped).to.match(/"tokens":\[[^\]]*"b","j"/);
    expect(await processesWith(marker)).to.deep.equal([]);
  });
});
