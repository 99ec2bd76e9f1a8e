import { expect } from "chai";
import { createServerClient, withScoreDeadline } from "../../../core/reward/index.js";
import { rewardInput } from "./input.js";
import { HttpServer } from "./servers/http-server.js";

describe("deadline of a reward manager of one's own", () => {
  it("ends a score that never settles, and aborts its signal", async () => {
    let aborted = false;
    const score = (_: unknown, { signal }: { signal?: AbortSignal } = {}) => {
      signal?.addEventListener("abort", () => (aborted = true));
      return new Promise<never>(() => {});
    };
    const result = await withScoreDeadline({ supports: () => true, score }, 20).score(rewardInput());
    expect([result.outcome, result.score, aborted]).to.deep.equal(["timeout", null, true]);
    expect(result.message).to.contain("VERL_REWARD_TIMEOUT").and.contain("did not settle within 0.02 s");
  });

  it("names the server that was waited for and its last answer, and a retry is told once", async () => {
    await using server = await HttpServer.start(() => ({ status: 429, body: {} }));
    const told: string[] = [];
    const client = createServerClient({
      ...{
        addresses: [server.address],
        waitMs: (n: number) => (n > 3 ? 1e6 : 1),
        warn: (text: string) => told.push(text),
      },
    });
    const score = async (_: unknown, call?: { signal?: AbortSignal }) =>
      (await client.request("POST", "/score", {}, call)) as never;
    const result = await withScoreDeadline({ supports: () => true, score }, 500).score(rewardInput());
    expect(result.message).to.match(/waiting for 127\.0\.0\.1:\d+: 429, 3 tries/);
    expect(told).to.have.length(1);
    expect(told[0]).to.match(/answered 429.*attempt 1 of 16, the next in 0.001 s/);
  });
});
