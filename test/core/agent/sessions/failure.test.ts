import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { AgentLoopOutput } from "../../../../core/agent/index.js";
import { isVerlError } from "../../../../core/host/errors.js";
import { promptTag } from "../../../../core/transfer/index.js";
import { FaultyQueue } from "../../../../testing/index.js";
import { harness, loopOf, output as outputOf, task, tokenizer } from "../harness.js";

const output = outputOf({ responseIds: tokenizer.encode("42") });
const agent = (name: string) => ({ row: { agent_name: name, origin: "train.jsonl:9" } });
const never = loopOf("never", () => new Promise(() => {}));

describe("agent loop manager, when things go wrong", () => {
  it("cancel: prompts that run and prompts that wait end as `failure`, also where a loop ignores its signal", async () => {
    const { manager, submit, tags, rows, warnings } = harness({ rollout: { max_num_seqs: 1 }, loops: [never] });
    await submit(["a", "b", "c", "d", "e"].map((uid) => task(uid, agent("never"))));
    await sleep(2);
    await manager.cancel(new Error("weights changed"));
    for (const tag of Object.values(await tags())) {
      expect(tag.status).to.equal("failure");
      expect(tag.lastEvent).to.contain("weights changed");
    }
    expect(await rows()).to.deep.equal({});
    await manager.drain();
    expect(warnings, "one line a prompt would bury the reason").to.deep.equal([]);
  });

  it("cancel: the manager takes new prompts afterwards", async () => {
    const { manager, submit, tags } = harness({ loops: [never] });
    await submit([task("a", agent("never"))]);
    await manager.cancel(new Error("stop"));
    await submit([task("b")]);
    await manager.drain();
    expect((await tags()).b.status).to.equal("finished");
  });

  it("ends prompts whose submission is aborted, and no others", async () => {
    const { manager, submit, tags } = harness({ loops: [never] });
    const controller = new AbortController();
    await submit([task("a", agent("never"))], "train", controller.signal);
    await submit([task("b")]);
    controller.abort(new Error("step is over"));
    await manager.drain();
    const { a, b } = await tags();
    expect([a.status, b.status]).to.deep.equal(["failure", "finished"]);
  });

  it("drops what an attempt writes after the prompt was issued again", async () => {
    let release: (value: unknown) => void = () => {};
    const { manager, submit, tags, rows, queue } = harness({
      rollout: { n: 1 },
      loops: [
        loopOf("slow", async () => {
          await new Promise((resolve) => {
            release = resolve;
          });
          return output;
        }),
      ],
    });
    await submit([task("a", agent("slow"))]);
    await sleep(2);
    await queue.put("train", "a", { tag: promptTag({ globalSteps: 2, draw: 0, attempt: 1 }) }, { attempt: 1 });
    release(undefined);
    await manager.drain();
    expect(await rows()).to.deep.equal({});
    expect((await tags()).a).to.deep.include({ status: "pending", attempt: 1, globalSteps: 2 });
  });

  it("reports a queue that refuses rows through drain and `failed`", async () => {
    const base = harness();
    const queue = new FaultyQueue(base.queue).inject({ call: "putBatch", error: new Error("disk full"), times: 1 });
    const { manager, tags } = harness({ over: { queue } });
    await manager.submit([task("a")], { partition: "train", globalStep: 1 });
    const error = await manager.drain().catch((e: unknown) => e);
    expect(String(error)).to.contain("disk full");
    expect(manager.failed.reason).to.equal(error);
    expect(await tags()).to.deep.equal({});
    expect((await base.tags()).a.status).to.equal("failure");
  });

  it("reward policy fail: the run is told, with the dataset row", async () => {
    const { manager, submit, tags, rows } = harness({ score: () => Number.NaN });
    await submit([task("a")]);
    const error = await manager.drain().catch((e: unknown) => e);
    expect(isVerlError(error) && error.code).to.equal("VERL_REWARD_FAILED");
    expect(String(error)).to.contain("train.jsonl:1").and.contain("NaN");
    expect((await tags()).a.status).to.equal("failure");
    expect((await rows()).a_0_0).to.deep.include({ score: null, rewardOutcome: "error" });
  });

  it("reward policy zero: the row scores 0 and keeps its flag", async () => {
    let calls = 0;
    const { manager, submit, tags, rows } = harness({
      reward: { on_error: "zero" },
      rollout: { n: 8 },
      score: () => (++calls === 4 ? Number.NaN : 1),
    });
    await submit([task("a")]);
    await manager.drain();
    const stored = Object.values(await rows());
    expect(stored.filter((row) => row.score === 1)).to.have.length(7);
    expect(stored.filter((row) => row.score === 0 && row.rewardOutcome === "error")).to.have.length(1);
    expect((await tags()).a.status).to.equal("finished");
  });

  it("reward policy drop_group: no row of the group keeps a score", async () => {
    let calls = 0;
    const { manager, submit, tags, rows, warnings } = harness({
      reward: { on_error: "drop_group" },
      rollout: { n: 3 },
      score: () => (++calls === 2 ? Number.NaN : 1),
    });
    await submit([task("a")]);
    await manager.drain();
    const stored = Object.values(await rows());
    expect(stored.map((row) => row.score)).to.deep.equal([null, null, null]);
    expect(stored.map((row) => row.rewardOutcome).sort()).to.deep.equal(["abstain", "abstain", "error"]);
    const all = await tags();
    expect(all.a.status).to.equal("failure");
    expect(all.a_0_0.trainable).to.equal(false);
    expect(stored.filter((row) => String(row.rewardMessage).includes("left out"))).to.have.length(2);
    expect(warnings, "the step tells of all groups in one line").to.deep.equal([]);
  });

  it("an abstention is no failure", async () => {
    const { manager, submit, tags, rows } = harness({ score: () => null });
    await submit([task("a")]);
    await manager.drain();
    expect((await tags()).a.status).to.equal("finished");
    expect((await rows()).a_0_0).to.deep.include({ score: null, rewardOutcome: "abstain" });
  });

  const bad: [string, Partial<AgentLoopOutput>, string][] = [
    ["a mask of another length", { responseMask: [1] }, "2 response tokens but 1 mask values"],
    ["log-probabilities of another length", { responseLogProbs: [0] }, "but 1 log-probabilities"],
    ["a mask that is not 0 or 1", { responseMask: [1, 2 as 1] }, "the mask holds 2"],
    ["an id that is no id", { responseIds: [4, -1] }, "response token 1 is -1, which is no token id"],
    ["a text", { responseIds: [4, "5"] as never }, 'response token 1 is "5", which is no token id'],
    ["half an id", { promptIds: [1.5] }, "prompt token 0 is 1.5, which is no token id"],
    [
      "an id beyond the model's",
      { responseIds: [4, 64] },
      "response token 1 is 64, which is no token id of the model, whose ids are 0 to 63",
    ],
    ["a log-probability that is not a number", { responseLogProbs: [-1, Number.NaN] }, "token 1 is NaN"],
    ["an empty prompt", { promptIds: [] }, "the prompt is empty"],
    ["no object", undefined as unknown as Partial<AgentLoopOutput>, "it returned nothing, not a trajectory"],
    ["a text for ids", { responseIds: "ab" as unknown as number[] }, 'responseIds is "ab", not a list'],
    ["no mask", { responseMask: undefined }, "responseMask is undefined, not a list"],
    ["a probability above 1", { responseLogProbs: [-1, 5] }, "token 1 is 5; the logarithm"],
    ["a score that is a text", { rewardScore: "1" as unknown as number }, 'rewardScore is "1", not a number'],
    ["a function", { extraFields: { seen: [{ call() {} }] } }, "extraFields.seen[0].call is a function"],
    ["a number of turns that is none", { numTurns: Number.NaN }, "numTurns is NaN"],
    ["no stop reason", { stopReason: undefined }, "stopReason is undefined, not a text"],
    [
      "extra fields that are a text",
      { extraFields: "x" as unknown as object as AgentLoopOutput["extraFields"] },
      "extraFields is",
    ],
    ["no metrics", { metrics: null as unknown as AgentLoopOutput["metrics"] }, "metrics is null, not an object"],
    ["no versions of weights", { minWeightVersion: Infinity, maxWeightVersion: -1 }, "versions Infinity to -1"],
    ["too long a prompt", { promptIds: Array(80).fill(3) }, "82 tokens, the limit of both is 80"],
  ];
  for (const [name, over, message] of bad) {
    it(`fails a session whose loop returned ${name}`, async () => {
      const loops = [loopOf("bad", () => over && { ...output, ...over })];
      const { manager, submit, tags } = harness({ loops, over: { vocabSize: 64 } });
      await submit([task("a", agent("bad"))]);
      await manager.drain();
      expect((await tags()).a.lastEvent)
        .to.contain("VERL_AGENT_BAD_OUTPUT")
        .and.contain(message)
        .and.contain("agent loop bad, prompt a (train.jsonl:9), session 0");
    });
  }

  for (const [first, last] of [
    [0.5, 1],
    [0.5, undefined],
  ]) {
    it(`fails a session whose first output has the reward ${first}, and its last ${last}`, async () => {
      const outputs = [first, last].map((rewardScore) => ({ ...output, rewardScore }));
      const { manager, submit, tags } = harness({ loops: [loopOf("two", () => outputs)] });
      await submit([task("a", agent("two"))]);
      await manager.drain();
      expect(String((await tags()).a.lastEvent))
        .to.contain("VERL_AGENT_BAD_OUTPUT")
        .and.contain(`output 0 has the rewardScore 0.5, and the last one ${last ?? "none"}`);
    });
  }

  it("takes a log-probability that rounding put above 0", async () => {
    const rounded = { ...output, responseLogProbs: [1e-5, -0.2] };
    const { manager, submit, tags } = harness({ loops: [loopOf("rounded", () => rounded)] });
    await submit([task("a", agent("rounded"))]);
    await manager.drain();
    expect((await tags()).a.status).to.equal("finished");
  });

  for (const thrown of [null, undefined, "no"]) {
    it(`says which loop threw ${thrown}`, async () => {
      const loops = [loopOf("thrower", () => Promise.reject(thrown))];
      const { manager, submit, tags } = harness({ loops });
      await submit([task("a", agent("thrower"))]);
      await manager.drain();
      expect((await tags()).a.lastEvent)
        .to.contain("VERL_AGENT_LOOP_THREW")
        .and.contain(`the agent loop thrower threw ${thrown === "no" ? '"no"' : thrown}`)
        .and.contain("throw new Error(reason)");
    });
  }

  it("cuts a response that is too long and calls it `length`", async () => {
    const long = { ...output, responseIds: Array(20).fill(9), responseMask: Array(20).fill(1), responseLogProbs: null };
    const { manager, submit, rows } = harness({ loops: [loopOf("long", () => long)] });
    await submit([task("a", agent("long"))]);
    await manager.drain();
    const row = (await rows()).a_0_0;
    expect([(row.responseIds as Int32Array).length, row.stopReason]).to.deep.equal([16, "length"]);
  });
});
