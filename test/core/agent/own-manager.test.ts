import { expect } from "chai";
import type { AgentLoopManager, PromptBatch, SequenceManagerOptions } from "../../../core/agent/index.js";
import { agentLoopManager, createAgentLoopManager } from "../../../core/agent/index.js";
import { BoundedManager } from "../../../core/agent/own-manager/bounded-manager.js";
import { ATTRIBUTE, type VerlError } from "../../../core/plugin.js";
import { promptTag, statusTag, trajectoryKey } from "../../../core/transfer/index.js";
import { RecordingTracer } from "../../../testing/index.js";
import { type HarnessOptions, harness, output, task } from "./harness.js";

type Generate = (batch: PromptBatch, options: SequenceManagerOptions) => void | Promise<void>;

/** A manager of one's own over a real queue; `export` replaces its class. */
async function own(generate: Generate, setup: HarnessOptions & { export?: unknown; deadline?: number } = {}) {
  const rig = harness(setup);
  const seen: SequenceManagerOptions[] = [];
  class Own {
    static async create(options: SequenceManagerOptions) {
      seen.push(options);
      return { generateSequences: (batch: PromptBatch) => generate(batch, options) };
    }
  }
  const options = rig.options;
  const config = { ...options.config, trainer: { sample_deadline_s: setup.deadline ?? 10 } } as typeof options.config;
  const manager: AgentLoopManager = await createAgentLoopManager(
    {
      reference: "./own.ts#Own",
      registered: () => agentLoopManager,
      loadUserModule: async () => ("export" in setup ? setup.export : Own),
    },
    { ...options, config },
  );
  async function submit(uids: readonly string[], signal?: AbortSignal) {
    const tasks = uids.map((uid, draw) => task(uid, { draw }));
    for (const { uid, draw, attempt } of tasks) {
      await rig.queue.put("train", uid, { tag: promptTag({ globalSteps: 1, draw, attempt }) }, { attempt });
    }
    await manager.submit(tasks, { partition: "train", globalStep: 1, ...(signal ? { signal } : {}) });
  }
  return { ...rig, manager, submit, seen };
}

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: VerlError) => error.code,
  );

describe("an agent-loop manager of one's own", () => {
  it("asks the model in traces of their own, which say whose they are", async () => {
    const tracer = new RecordingTracer();
    const { manager, submit } = await own(
      ({ prompts }, { llmClient }) => {
        for (const { uid, sampling, deliver } of prompts) {
          const request = { requestId: `${uid}_0`, promptIds: [5], sampling, seed: 1 };
          void llmClient.generate(request).then(() => deliver(0, output()));
        }
      },
      { rollout: { n: 1 }, over: { tracer } },
    );
    await submit(["a"]);
    await manager.drain();
    const [turn, session] = tracer.roots;
    expect([turn.start.kind, turn.attributes[ATTRIBUTE.trajectory]]).to.deep.equal(["generate", "a_0"]);
    expect([session.start.kind, session.attributes[ATTRIBUTE.trajectory]]).to.deep.equal(["session", "a_0"]);
  });

  it("gets what the contract names, and delivers trajectories that are scored and stored", async () => {
    let wanted: unknown;
    const { manager, submit, tags, rows, seen } = await own((batch) => {
      const [{ uid, draw, sessions, sampling, messages }] = batch.prompts;
      wanted = { uid, draw, sessions, temperature: sampling.temperature, messages };
      expect([batch.partition, batch.validate, batch.globalSteps]).to.deep.equal(["train", false, 1]);
      for (const prompt of batch.prompts) {
        prompt.deliver(1, [output({ responseIds: [30, 31] }), output()]);
        prompt.deliver(0, output());
      }
    });
    await submit(["a", "b"]);
    await manager.drain();
    expect(wanted).to.deep.equal({
      uid: "a",
      draw: 0,
      sessions: 2,
      temperature: 1,
      messages: [{ role: "user", content: "6*7" }],
    });
    const all = await tags();
    expect([all.a.status, all.b.status]).to.deep.equal(["finished", "finished"]);
    const stored = await rows();
    expect(Object.keys(stored).sort()).to.deep.equal(["a_0_0", "a_1_0", "a_1_1", "b_0_0", "b_1_0", "b_1_1"]);
    expect(stored.a_1_0).to.include({ score: 1, agentName: "./own.ts#Own" });
    const [{ llmClient, teacherClient, rewardLoopWorkerHandles, transferQueue, tokenizer }] = seen;
    expect([typeof llmClient.generate, teacherClient, rewardLoopWorkerHandles.length]).to.deep.equal([
      "function",
      null,
      1,
    ]);
    expect([typeof transferQueue.put, typeof tokenizer.encode]).to.deep.equal(["function", "function"]);
  });

  it("is not waited for by submit, however long it generates", async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { manager, submit, tags } = await own(async ({ prompts }) => {
      await gate;
      for (const prompt of prompts) for (const session of [0, 1]) prompt.deliver(session, output());
    });
    await submit(["a"]);
    expect((await tags()).a.status).to.equal("pending");
    expect(manager.waiting?.()).to.have.length(1);
    expect(manager.waiting?.()[0]).to.include({
      key: "a",
      origin: "train.jsonl:1",
      waitsFor: "the manager ./own.ts#Own",
    });
    release();
    await manager.drain();
    expect(manager.waiting?.()).to.deep.equal([]);
  });

  it("may store its trajectories in the queue itself, rows before the terminal status", async () => {
    const { manager, submit, tags, rows } = await own(async ({ prompts, partition }, { transferQueue }) => {
      for (const { uid, attempt } of prompts) {
        await transferQueue.put(partition, uid, { tag: statusTag("running") }, { attempt });
        const key = trajectoryKey(uid, 0, 0);
        await transferQueue.putBatch(partition, [{ key, fields: { score: 2 }, tag: { status: "success" } }], {
          attempt,
        });
        await transferQueue.put(partition, uid, { tag: statusTag("finished") }, { attempt });
      }
    });
    await submit(["a", "b"]);
    await manager.drain();
    expect((await tags()).b).to.include({ isPrompt: true, status: "finished" });
    expect((await rows()).b_0_0).to.deep.equal({ score: 2 });
  });

  it("fails a prompt one of whose sessions it fails, with the reason", async () => {
    const { manager, submit, tags } = await own(({ prompts: [prompt] }) => {
      prompt.fail(0, new Error("the sandbox is gone"));
      prompt.deliver(1, output());
    });
    await submit(["a"]);
    await manager.drain();
    const all = await tags();
    expect(all.a.status).to.equal("failure");
    expect(String(all.a.lastEvent)).to.contain("the sandbox is gone");
    expect(all.a_1_0.status).to.equal("success");
  });

  it("fails what is left when generateSequences throws or rejects, and keeps what was delivered", async () => {
    const failures: Generate[] = [
      () => {
        throw new Error("no room");
      },
      async ({ prompts: [first] }) => {
        first.deliver(0, output());
        throw new Error("no room");
      },
    ];
    for (const [i, generate] of failures.entries()) {
      const { manager, submit, tags, warnings } = await own(generate);
      await submit(["a", "b"]);
      await manager.drain();
      const all = await tags();
      expect([all.a.status, all.b.status]).to.deep.equal(["failure", "failure"]);
      expect(String(all.b.lastEvent)).to.contain("./own.ts#Own").and.to.contain("no room");
      expect("a_0_0" in all).to.equal(i === 1);
      expect(warnings.join()).to.contain("2 prompts failed");
    }
  });

  it("T32: that leaves a prompt open is reported at the deadline, by prompt and what it waits for", async () => {
    const { manager, submit } = await own(
      ({ prompts: [first, second] }) => {
        first.deliver(0, output());
        first.deliver(1, output());
        second.deliver(0, output());
      },
      { deadline: 0.05 },
    );
    await submit(["a", "b", "c"]);
    const error = (await manager.drain().then(
      () => null,
      (e: VerlError) => e,
    )) as VerlError;
    expect(error.code).to.equal("VERL_AGENT_MANAGER_STUCK");
    expect(error.what).to.contain("2 prompts");
    expect(error.why)
      .to.match(/b_1 waits for the agent loop/)
      .and.to.match(/c waits for the manager/);
    expect(error.why).not.to.contain("a_");
    await manager.cancel(new Error("over"));
  });

  it("has its prompts failed when they are cancelled; what it delivers later is dropped", async () => {
    let late = () => {};
    const { manager, submit, tags } = await own(({ prompts, signal }) => {
      prompts[0].deliver(0, output());
      late = () => {
        expect(signal.aborted).to.equal(true);
        for (const prompt of prompts) prompt.deliver(1, output());
      };
    });
    await submit(["a", "b"]);
    await manager.cancel(new Error("stopped by the user"));
    late();
    const all = await tags();
    expect([all.a.status, all.b.status]).to.deep.equal(["failure", "failure"]);
    expect(String(all.b.lastEvent)).to.contain("stopped by the user");
    await manager.drain();
  });

  it("is told at which line of its own it has delivered something wrong", async () => {
    const errors: VerlError[] = [];
    const { manager, submit } = await own(({ prompts: [prompt] }) => {
      for (const session of [9, 0, 0, 1]) {
        try {
          prompt.deliver(session, output());
        } catch (error) {
          errors.push(error as VerlError);
        }
      }
    });
    await submit(["a"]);
    await manager.drain();
    expect(errors.map(({ where }) => where?.includes("own-manager.test."))).to.deep.equal([true, true]);
  });

  it("is told of sessions that there are not, and of those that have ended", async () => {
    const errors: (string | null)[] = [];
    const { manager, submit } = await own(async ({ prompts: [prompt] }) => {
      const attempt = (session: number) => code((async () => prompt.deliver(session, output()))());
      errors.push(await attempt(2), await attempt(0), await attempt(0), await attempt(1));
    });
    await submit(["a"]);
    await manager.drain();
    expect(errors).to.deep.equal(["VERL_AGENT_DELIVERY", null, "VERL_AGENT_DELIVERY", null]);
  });

  it("is refused where the export is none, by code", async () => {
    const shapes: [unknown, string][] = [
      [undefined, "VERL_AGENT_BAD_MANAGER"],
      [class {}, "VERL_AGENT_BAD_MANAGER"],
      [{ create: () => ({}) }, "VERL_AGENT_BAD_MANAGER"],
      [{ create: async () => null }, "VERL_AGENT_BAD_MANAGER"],
      [
        {
          create() {
            throw new Error("teachers are not supported");
          },
        },
        "VERL_AGENT_MANAGER_REFUSED",
      ],
    ];
    for (const [shape, expected] of shapes) expect(await code(own(() => {}, { export: shape }))).to.equal(expected);
  });

  it("may also have the host's own form", async () => {
    const { manager, submit, tags } = await own(() => {}, { export: agentLoopManager });
    await submit(["a"]);
    await manager.drain();
    expect((await tags()).a.status).to.equal("finished");
  });

  it("is not told of by itself when its prompts are cancelled: whoever cancels says why", async () => {
    const { manager, submit, warnings } = await own(() => {});
    await submit(["a"]);
    await manager.cancel(new Error("the trainer was disposed"));
    expect(warnings).to.deep.equal([]);
  });

  it("is refused by name where its create does not settle", async () => {
    const before = process.env.VERL_LOAD_DEADLINE_S;
    process.env.VERL_LOAD_DEADLINE_S = "0.05";
    try {
      const error = await own(() => {}, { export: { create: () => new Promise(() => {}) } }).then(
        () => null,
        (thrown: VerlError) => thrown,
      );
      expect(error).to.include({
        code: "VERL_USER_TIMEOUT",
        where: `actor_rollout_ref.rollout.agent.${"agent_loop_manager_class"}`,
      });
      expect(error?.what).to.contain("./own.ts#Own");
    } finally {
      if (before === undefined) delete process.env.VERL_LOAD_DEADLINE_S;
      else process.env.VERL_LOAD_DEADLINE_S = before;
    }
  });

  const stuck = () => new Promise<void>(() => {});
  const whole = (over: object) => ({
    create: () => ({ submit: async () => {}, drain: async () => {}, cancel: async () => {}, ...over }),
  });

  it("has a deadline for taking prompts, in the host's own form too, and is what they wait for until then", async () => {
    const { manager, submit } = await own(() => {}, { export: whole({ submit: stuck }), deadline: 0.05 });
    const submitted = submit(["a"]).then(
      () => null,
      (thrown: VerlError) => thrown,
    );
    // Its prompt is in the queue first.
    while (manager.waiting?.().length === 0) await new Promise(setImmediate);
    expect(manager.waiting?.()[0]).to.include({ key: "a", waitsFor: "submit of the manager ./own.ts#Own" });
    const error = await submitted;
    expect(error?.code).to.equal("VERL_AGENT_MANAGER_STUCK");
    expect(error?.what).to.match(/submit of the agent-loop manager \.\/own\.ts#Own .* 0\.05 s/);
  });

  it("does not hold the end of a run up", async () => {
    const warnings: string[] = [];
    const logger = { warn: (text: string) => void warnings.push(text) };
    const inner = whole({ cancel: stuck, dispose: () => Promise.reject(null) }).create() as AgentLoopManager;
    const manager = new BoundedManager(inner, { name: "./own.ts#Own", deadlineMs: 1000, logger, endMs: 20 });
    await manager.cancel(new Error("over"));
    await manager.dispose();
    expect(warnings[0]).to.match(
      /cancel of the agent-loop manager \.\/own\.ts#Own failed: it has not settled within 0\.02 s/,
    );
    expect(warnings[1]).to.match(/dispose of the agent-loop manager .* failed: null/);
  });
});
