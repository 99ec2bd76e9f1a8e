import { expect } from "chai";
import { InProcessQueue, promptTag } from "../../../core/transfer/index.js";
import { CrewManager } from "../../../examples/agent-manager/manager.js";
import { createToyTokenizer, ScriptedClient } from "../../../testing/index.js";
import { configOf } from "../../core/agent/harness.js";

const tokenizer = createToyTokenizer();
const answer = (text: string) => ({
  tokenIds: [...tokenizer.encode(text), 1],
  minWeightVersion: 3,
  maxWeightVersion: 3,
});

async function played(client: ScriptedClient) {
  const queue = new InProcessQueue();
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const manager = new CrewManager({ config: configOf(), queue, client, tokenizer, logger, seed: 5 });
  const row = { data_source: "sums", numbers: [1, 2, 3] };
  await queue.put("train", "u", { tag: promptTag({ globalSteps: 5, draw: 0, attempt: 0 }) });
  const task = { uid: "u", draw: 0, attempt: 0, row, messages: [] };
  await manager.submit([task], { partition: "train", globalStep: 5 });
  await manager.drain();
  return queue;
}

describe("examples/agent-manager/manager", () => {
  it("stores a trajectory for each agent, all with the score of the whole, then the prompt's end", async () => {
    const client = new ScriptedClient(({ requestId }) => answer(requestId.endsWith("_0") ? "3" : "6"));
    const queue = await played(client);
    const entries = await queue.list("train");
    expect(entries.map(({ key, tag }) => [key, tag.status])).to.deep.equal([
      ["u", "finished"],
      ["u_0_0", "success"],
      ["u_0_1", "success"],
      ["u_1_0", "success"],
      ["u_1_1", "success"],
    ]);
    const rows = await queue.get("train", ["u_0_0", "u_0_1"]);
    for (const [i, row] of rows.entries()) {
      expect(row.score).to.equal(1);
      expect(Array.from(row.responseIds as Int32Array)).to.deep.equal(answer(i === 0 ? "3" : "6").tokenIds);
      expect(row.extraFields).to.deep.equal({ agent: `adder ${i + 1}` });
    }
  });

  it("ends a prompt as a failure when a crew breaks", async () => {
    const client = new ScriptedClient((_, call) => {
      if (call > 0) throw new Error("no server");
      return answer("");
    });
    const queue = await played(client);
    const [prompt, ...rows] = await queue.list("train");
    expect(prompt.tag).to.include({ status: "failure", lastEvent: "no server" });
    expect(rows.map(({ key }) => key)).to.deep.equal(["u_0_0"]);
  });
});
