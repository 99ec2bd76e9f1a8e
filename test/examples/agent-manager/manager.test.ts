import { expect } from "chai";
import { agentLoopManager, createAgentLoopManager } from "../../../core/agent/index.js";
import { promptTag } from "../../../core/transfer/index.js";
import { CrewManager } from "../../../examples/agent-manager/manager.js";
import { ScriptedClient } from "../../../testing/index.js";
import { harness, task, tokenizer } from "../../core/agent/harness.js";

const answer = (text: string) => ({
  tokenIds: [...tokenizer.encode(text), 1],
  minWeightVersion: 3,
  maxWeightVersion: 3,
});

/** A prompt whose two sessions are played by crews, on a real queue. */
async function played(client: ScriptedClient) {
  const rig = harness();
  const config = { ...rig.options.config, trainer: { sample_deadline_s: 10 } } as typeof rig.options.config;
  const manager = await createAgentLoopManager(
    {
      reference: "./manager.js#CrewManager",
      registered: () => agentLoopManager,
      loadUserModule: async () => CrewManager,
    },
    { ...rig.options, config, client },
  );
  await rig.queue.put("train", "u", { tag: promptTag({ globalSteps: 1, draw: 0, attempt: 0 }) });
  const prompt = task("u", { row: { data_source: "sums", numbers: [1, 2, 3] } });
  await manager.submit([prompt], { partition: "train", globalStep: 1 });
  await manager.drain();
  return { tags: await rig.tags(), rows: await rig.rows() };
}

describe("examples/agent-manager/manager", () => {
  it("stores a trajectory for each agent, all with the score of the whole, then the prompt's end", async () => {
    const client = new ScriptedClient(({ requestId }) => answer(requestId.endsWith("_0") ? "3" : "6"));
    const { tags, rows } = await played(client);
    expect(tags.u.status).to.equal("finished");
    expect(Object.keys(rows).sort()).to.deep.equal(["u_0_0", "u_0_1", "u_1_0", "u_1_1"]);
    for (const [key, row] of Object.entries(rows)) {
      const call = Number(key.at(-1));
      expect(row.score).to.equal(1);
      expect(Array.from(row.responseIds as Int32Array)).to.deep.equal(answer(call === 0 ? "3" : "6").tokenIds);
      expect((row.extraFields as { agent: string }).agent).to.equal(`adder ${call + 1}`);
    }
  });

  it("ends a prompt as a failure when a crew breaks", async () => {
    const client = new ScriptedClient(({ requestId }) => {
      if (requestId.includes("_1_")) throw new Error("no server");
      return answer("");
    });
    const { tags, rows } = await played(client);
    expect(tags.u.status).to.equal("failure");
    expect(tags.u.lastEvent).to.include("no server");
    expect(Object.keys(rows)).to.deep.equal(["u_0_0"]);
  });
});
