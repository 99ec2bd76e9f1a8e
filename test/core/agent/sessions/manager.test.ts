import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { VerlError } from "../../../../core/plugin.js";
import { harness, loopOf, output, task, tokenizer } from "../harness.js";

const agent = (name: string) => ({ row: { agent_name: name, origin: "train.jsonl:9" } });

describe("agent loop manager", () => {
  it("stores a row for every session and then says `finished`", async () => {
    const { manager, submit, tags, rows } = harness();
    await submit([task("u1", { draw: 7 })]);
    await manager.drain();
    expect(await tags()).to.deep.equal({
      u1: { isPrompt: true, status: "finished", globalSteps: 1, draw: 7, attempt: 0, lastEvent: null },
      ...Object.fromEntries(
        [0, 1].map((session) => [
          `u1_${session}_0`,
          {
            status: "success",
            promptLen: 6,
            responseLen: 3,
            seqLen: 9,
            globalSteps: 1,
            minGlobalSteps: 3,
            maxGlobalSteps: 4,
            draw: 7,
            session,
            index: 0,
            trainable: true,
            attempt: 0,
          },
        ]),
      ),
    });
    const row = (await rows()).u1_1_0;
    const responseIds = Int32Array.of(...tokenizer.encode("42"), 1);
    expect(row).to.deep.include({
      promptIds: Int32Array.from(tokenizer.encode("<user>6*7<end><assistant>")),
      responseIds,
      responseMask: Int32Array.of(1, 1, 1),
      rolloutLogProbs: Float32Array.of(-0.5, -0.5, -0.5),
      score: 1,
      rewardOutcome: "scored",
      rewardExtra: { acc: 1 },
      rewardMessage: null,
      numTurns: 2,
      stopReason: "stop",
      minWeightVersion: 3,
      maxWeightVersion: 4,
      dataSource: "test",
      groundTruth: "42",
      origin: "train.jsonl:1",
      agentName: "single_turn_agent",
      extraFields: { turn_scores: [], tool_rewards: [] },
    });
  });

  it("returns from submit before anything is generated", async () => {
    const gate = deferred();
    const { manager, submit, tags } = harness({
      loops: [
        loopOf("slow", async () => {
          await gate.promise;
          return output();
        }),
      ],
    });
    await submit([task("u1", agent("slow"))]);
    await sleep(5);
    expect((await tags()).u1.status).to.equal("running");
    gate.resolve(undefined);
    await manager.drain();
    expect((await tags()).u1.status).to.equal("finished");
  });

  it("draws train and validation samples with their own parameters and numbers of sessions", async () => {
    const { manager, submit, client } = harness({ val_kwargs: { n: 3, temperature: 0.2 } });
    await submit([task("a")]);
    await submit([task("b")], "val");
    await submit([task("c", { greedy: true, sessions: 1 })]);
    await submit([task("d", { row: { __do_sample__: false, __rollout_n__: 1 } })]);
    await manager.drain();
    const asked = (uid: string) => client.requests.filter((r) => r.requestId.startsWith(uid));
    expect(asked("a").map((r) => [r.requestId, r.seed, r.sampling.temperature, r.sampling.topP])).to.deep.equal([
      ["a_0", 5, 1, 0.9],
      ["a_1", 5, 1, 0.9],
    ]);
    expect(asked("b").map((r) => r.sampling.temperature)).to.deep.equal([0.2, 0.2, 0.2]);
    expect(asked("c").map((r) => [r.sampling.temperature, r.sampling.topP])).to.deep.equal([[0, 1]]);
    expect(asked("d").map((r) => r.sampling.temperature)).to.deep.equal([0]);
  });

  it("encodes a prompt once for all of its sessions", async () => {
    let rendered = 0;
    const counting = {
      ...tokenizer,
      renderChat: (...args: Parameters<typeof tokenizer.renderChat>) => {
        rendered++;
        return tokenizer.renderChat(...args);
      },
    };
    const { manager, submit } = harness({ rollout: { n: 5 }, over: { tokenizer: counting } });
    await submit([task("a"), task("b")]);
    await manager.drain();
    expect(rendered).to.equal(2);
  });

  it("says once in a run that messages had to be rearranged for the chat template", async () => {
    const systemFirst = {
      ...tokenizer,
      renderChat: (...[messages, options]: Parameters<typeof tokenizer.renderChat>) => {
        if (messages.some(({ role }, i) => role === "system" && i > 0)) throw new Error("system must be first");
        return tokenizer.renderChat(messages, options);
      },
    };
    const { manager, submit, rows, warnings } = harness({ over: { tokenizer: systemFirst } });
    const messages = [
      { role: "user", content: "6*7" },
      { role: "system", content: "Count." },
    ];
    await submit([task("a", { messages }), task("b", { messages })]);
    await manager.drain();
    const prompt = tokenizer.encode("<system>Count.<end><user>6*7<end><assistant>");
    expect((await rows()).b_0_0.promptIds).to.deep.equal(Int32Array.from(prompt));
    expect(warnings.filter((text) => text.includes("system messages are joined"))).to.have.length(1);
  });

  it("cuts the beginning of a prompt that is too long and warns once, naming the row", async () => {
    const { manager, submit, rows, warnings } = harness({ rollout: { prompt_length: 4 } });
    await submit([task("a")]);
    await manager.drain();
    const whole = tokenizer.encode("<user>6*7<end><assistant>");
    expect((await rows()).a_0_0.promptIds).to.deep.equal(Int32Array.from(whole.slice(-4)));
    expect(warnings.filter((w) => w.includes("train.jsonl:1") && w.includes("2 more"))).to.have.length(1);
  });

  it("waits for every session before it says `failure`, and keeps the rows of the others", async () => {
    const { manager, submit, tags, rows, warnings } = harness({
      loops: [
        loopOf("half", async ({ trajectoryId }) => {
          if (trajectoryId.endsWith("_0")) throw new Error("tool crashed");
          await sleep(10);
          return output();
        }),
      ],
    });
    await submit([task("u1", agent("half"))]);
    await manager.drain();
    const { status, errors } = (await tags()).u1;
    expect(status).to.equal("failure");
    expect(errors).to.have.length(1);
    expect(String(errors), "what was thrown, and where").to.match(
      /^session 0: tool crashed \(at .*manager\.test\.js:\d+:\d+\)?\)$/,
    );
    expect(Object.keys(await rows())).to.deep.equal(["u1_1_0"]);
    expect(warnings[0]).to.contain("train.jsonl:9").and.contain("1 of 2 sessions");
  });

  it("finishes a group with failed sessions where `on_session_error` is `keep_group`", async () => {
    const { manager, submit, tags } = harness({
      agent: { on_session_error: "keep_group" },
      loops: [
        loopOf("half", ({ trajectoryId }) => (trajectoryId.endsWith("_0") ? Promise.reject(new Error("x")) : output())),
        loopOf("none", () => Promise.reject(new Error("x"))),
      ],
    });
    await submit([task("u1", agent("half")), task("u2", agent("none"))]);
    await manager.drain();
    const { u1, u2 } = await tags();
    expect([u1.status, u2.status]).to.deep.equal(["finished", "failure"]);
  });

  it("fails a session whose loop takes longer than `session_deadline_s`, whose signal is aborted then", async () => {
    const reasons: string[] = [];
    const { manager, submit, tags } = harness({
      rollout: { n: 1 },
      agent: { session_deadline_s: 0.02 },
      loops: [
        loopOf("endless", ({ signal }) => {
          signal.addEventListener("abort", () => reasons.push(String((signal.reason as Error).message)));
          return new Promise(() => {});
        }),
        loopOf("brief", () => output()),
      ],
      // What a reward takes is its own deadline's business.
      score: async () => {
        await sleep(50);
        return 1;
      },
    });
    await submit([task("u1", agent("endless")), task("u2", agent("brief"))]);
    await manager.drain();
    const { u1, u2 } = await tags();
    expect([u1.status, u2.status]).to.deep.equal(["failure", "finished"]);
    expect(String(u1.lastEvent)).to.contain("VERL_AGENT_SESSION_TIMEOUT").and.contain("longer than 0.02 s");
    expect(reasons).to.have.length(1);
  });

  it("says of a prompt whose sessions return nothing that they did", async () => {
    const { manager, submit, tags } = harness({ loops: [loopOf("none", () => [])] });
    await submit([task("u1", agent("none"))]);
    await manager.drain();
    expect((await tags()).u1).to.deep.include({
      status: "finished",
      lastEvent: "the agent loop none returned no trajectory in 2 of 2 sessions",
    });
  });

  it("scores the last of several outputs and copies its reward to the others", async () => {
    let scored = 0;
    const { manager, submit, rows } = harness({
      rollout: { n: 1 },
      score: ({ solution, extraInfo }) => {
        scored++;
        return { score: 0.5, pred: solution, turns: Number(extraInfo.num_turns) };
      },
      loops: [
        loopOf("two", () => [
          output(),
          output({ responseIds: tokenizer.encode("OK"), numTurns: 6, responseMask: [0, 1] }),
        ]),
      ],
    });
    await submit([task("u1", agent("two"))]);
    await manager.drain();
    const { u1_0_0, u1_0_1 } = await rows();
    expect(scored).to.equal(1);
    for (const row of [u1_0_0, u1_0_1]) {
      expect(row).to.deep.include({ score: 0.5, rewardExtra: { score: 0.5, pred: "OK", turns: 6 } });
    }
    expect(u1_0_1.rolloutLogProbs).to.deep.equal(Float32Array.of(0, -0.2));
  });

  it("takes a score that the loop gave itself", async () => {
    const { manager, submit, rows } = harness({
      rollout: { n: 1 },
      score: () => -1,
      loops: [loopOf("own", () => output({ rewardScore: 0.75, extraFields: { reward_extra_info: { acc: 1 } } }))],
    });
    await submit([task("u1", agent("own"))]);
    await manager.drain();
    expect((await rows()).u1_0_0).to.deep.include({ score: 0.75, rewardOutcome: "scored", rewardExtra: { acc: 1 } });
  });

  describe("a loop's own score that is none", () => {
    async function own(rewardScore: number, on_error: string) {
      const rig = harness({
        rollout: { n: 2 },
        reward: { on_error },
        loops: [loopOf("own", () => output({ rewardScore }))],
      });
      await rig.submit([task("u1", agent("own"))]);
      const failure = await rig.manager.drain().then(
        () => null,
        (error: VerlError) => error,
      );
      return { failure, rows: await rig.rows(), tags: await rig.tags() };
    }

    it("is 0 under the policy zero, and the row stays flagged", async () => {
      for (const bad of [Number.NaN, 1e39]) {
        const { failure, rows, tags } = await own(bad, "zero");
        expect(failure).to.equal(null);
        expect(tags.u1.lastEvent).to.equal(null);
        expect(rows.u1_0_0).to.deep.include({ score: 0, rewardOutcome: "error" });
        expect(rows.u1_0_0.rewardMessage).to.contain("VERL_REWARD_BAD_RESULT").and.contain("train.jsonl:");
      }
    });

    it("takes its group out under drop_group", async () => {
      const { failure, tags } = await own(Number.NaN, "drop_group");
      expect(failure).to.equal(null);
      expect(tags.u1.status).to.equal("failure");
    });

    it("ends the run under fail and under retry, which says that it is not fail", async () => {
      expect((await own(Number.NaN, "fail")).failure?.message).to.contain("reward.on_error is fail");
      const { failure } = await own(1e308, "retry(2)");
      expect(failure?.message).to.contain("reward.on_error is retry(2) fail").and.contain("1e+308, beyond float32");
      expect(failure?.fix).to.contain("let the loop give a finite number").and.not.contain("retry");
      expect((await own(Number.NaN, "retry(2) zero")).rows.u1_0_0.score).to.equal(0);
    });
  });

  it("leaves scores open where no reward manager is given", async () => {
    const { manager, submit, rows } = harness({ score: null });
    await submit([task("u1")]);
    await manager.drain();
    expect((await rows()).u1_0_0).to.deep.include({ score: null, rewardOutcome: null });
  });

  it("scores a response without log-probabilities and marks it as not trainable", async () => {
    const { manager, submit, rows, tags } = harness({
      rollout: { n: 1 },
      loops: [loopOf("texts", () => output({ responseLogProbs: null }))],
    });
    await submit([task("u1", agent("texts"))]);
    await manager.drain();
    expect((await rows()).u1_0_0).to.deep.include({ score: 1, rolloutLogProbs: null });
    expect((await tags()).u1_0_0.trainable).to.equal(false);
  });

  it("says `finished` for a loop that returns nothing, with a warning", async () => {
    const { manager, submit, tags, warnings } = harness({ loops: [loopOf("empty", () => [])] });
    await submit([task("u1", agent("empty"))]);
    await manager.drain();
    expect(Object.keys(await tags())).to.deep.equal(["u1"]);
    expect((await tags()).u1.status).to.equal("finished");
    expect(warnings[0]).to.contain("returned no trajectory");
  });

  it("refuses bad uids and unknown agent names before it accepts anything", async () => {
    const { manager, tags } = harness();
    const options = { partition: "train", globalStep: 1 } as const;
    const bad = await manager.submit([task("ok"), task("has_underscore")], options).catch((e: unknown) => e);
    expect(String(bad)).to.contain("VERL_QUEUE_BAD_KEY");
    const unknown = await manager.submit([task("ok"), task("u2", agent("nobody"))], options).catch((e: unknown) => e);
    expect(String(unknown)).to.contain("unknown agent loop nobody");
    await manager.drain();
    expect(await tags()).to.deep.equal({});
  });

  it("keeps at most `2 × max_num_seqs` sessions of a worker in flight, in the order of the prompts", async () => {
    let [running, most] = [0, 0];
    const started: string[] = [];
    const { manager, submit, tags } = harness({
      rollout: { max_num_seqs: 2, n: 3 },
      agent: { num_workers: 1 },
      loops: [
        loopOf("count", async ({ trajectoryId }) => {
          most = Math.max(most, ++running);
          started.push(trajectoryId);
          await sleep(1);
          running--;
          return output();
        }),
      ],
    });
    const tasks = Array.from({ length: 12 }, (_, i) => task(`p${i}`, agent("count")));
    await submit(tasks);
    await sleep(1);
    expect((await tags()).p11.status).to.equal("pending");
    await manager.drain();
    expect(most).to.equal(4);
    expect(started).to.deep.equal(tasks.flatMap(({ uid }) => [0, 1, 2].map((s) => `${uid}_${s}`)));
  });

  it("deals prompts out to the workers in turn", async () => {
    const gate = deferred();
    const started: string[] = [];
    const { manager, submit } = harness({
      rollout: { max_num_seqs: 1, n: 2 },
      agent: { num_workers: 2 },
      loops: [
        loopOf("wait", async ({ trajectoryId }) => {
          started.push(trajectoryId);
          await gate.promise;
          return output();
        }),
      ],
    });
    await submit(["a", "b", "c", "d"].map((uid) => task(uid, agent("wait"))));
    await sleep(5);
    expect(started.sort()).to.deep.equal(["a_0", "a_1", "b_0", "b_1"]);
    gate.resolve(undefined);
    await manager.drain();
    expect(started).to.have.length(8);
  });
});

function deferred() {
  let resolve: (value: unknown) => void = () => {};
  const promise = new Promise((r) => {
    resolve = r;
  });
  return { promise, resolve };
}
