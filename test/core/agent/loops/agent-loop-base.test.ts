import { expect } from "chai";
import { AgentLoopBase, type AgentLoopContext, type AgentLoopMetrics } from "../../../../core/agent/index.js";
import { ScriptedClient } from "../../../../testing/index.js";

class TwoTurns extends AgentLoopBase {
  async run(): Promise<never> {
    await this.generate([1, 2]);
    await this.generate([1, 2, 3], 1);
    this.spend("toolCalls", 2.5);
    throw this.metrics;
  }
}

const contextOf = (client: ScriptedClient) =>
  ({
    client,
    trajectoryId: "u_0",
    seed: 3,
    sampling: Object.freeze({ temperature: 1, topP: 1, topK: -1, logProbs: true }),
    signal: new AbortController().signal,
  }) as unknown as AgentLoopContext;

describe("agent loop base", () => {
  it("asks under the trajectory's id, with a limit of the turn where one is given", async () => {
    const client = new ScriptedClient([{ tokenIds: [7, 8] }]);
    await new TwoTurns(contextOf(client)).run().catch(() => {});
    expect(client.requests.map((r) => [r.requestId, r.seed, r.sampling.maxTokens])).to.deep.equal([
      ["u_0", 3, undefined],
      ["u_0", 3, 1],
    ]);
  });

  it("sends no request where a turn may have no token, and calls that `length`", async () => {
    const client = new ScriptedClient([{ tokenIds: [7, 8], maxWeightVersion: 4 }]);
    class NoRoom extends AgentLoopBase {
      async run(): Promise<never> {
        await this.generate([1, 2]);
        throw await this.generate([1, 2, 7, 8], 0);
      }
    }
    const last = await new NoRoom(contextOf(client)).run().catch((output: unknown) => output);
    expect(last).to.deep.include({ tokenIds: [], stopReason: "length", maxWeightVersion: 4 });
    expect(client.requests).to.have.length(1);
  });

  it("adds up what the turns spent", async () => {
    const known = new ScriptedClient([
      { tokenIds: [7], numPreempted: 0 },
      { tokenIds: [7], numPreempted: 2 },
    ]);
    const metrics = await new TwoTurns(contextOf(known)).run().catch((m: AgentLoopMetrics) => m);
    expect(metrics).to.deep.include({ toolCalls: 2.5, computeScore: 0, numPreempted: 2 });
    expect(metrics.generateSequences).to.be.greaterThan(0);
    const unknown = new ScriptedClient([{ tokenIds: [7] }]);
    expect((await new TwoTurns(contextOf(unknown)).run().catch((m: AgentLoopMetrics) => m)).numPreempted).to.equal(-1);
  });

  it("turns a failed request into an error", async () => {
    const client = new ScriptedClient([{ tokenIds: [], stopReason: "error" }]);
    const error = await new TwoTurns(contextOf(client)).run().catch((e: unknown) => e);
    expect(String(error)).to.contain("VERL_AGENT_GENERATION_FAILED").and.contain("u_0");
  });
});
