import { writeFileSync } from "node:fs";
import { expect } from "chai";
import { BUILTINS, REWARD_MAIN } from "../../cli/builtins.js";
import { MediaStore } from "../../core/data/index.js";
import { lineLogger } from "../../core/host/index.js";
import { createHost } from "../../core/index.js";
import type { RewardManager, RewardManagerOptions } from "../../core/plugin.js";
import { createRemoteRewardManager, createScorerIndex } from "../../core/reward/index.js";
import { ATTRIBUTE } from "../../core/tracing/index.js";
import {
  createFakeSandbox,
  type RecordedSpan,
  RecordingTracer,
  rewardManagerOptions,
  solidPng,
} from "../../testing/index.js";
import { rejection } from "./host/support/hosts.js";
import { Project } from "./host/support/project.js";
import { rewardInput } from "./reward/input.js";
import { completion, HttpServer, heldReply } from "./reward/servers/http-server.js";

/** A synchronous wait for a file, as computing would hold the thread. */
const AWAIT_FILE = `
  import { existsSync, writeFileSync } from "node:fs";
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const awaitFile = (file) => { while (!existsSync(file)) Atomics.wait(cell, 0, 0, 5); };
`;

interface Setup extends Partial<RewardManagerOptions> {
  /** Name of the module. */
  readonly file?: string;
  readonly count?: number;
  readonly isAble?: boolean;
  /** For loading a module. */
  readonly loadMs?: number;
}

describe("core reward workers", function () {
  this.timeout(60_000);
  let project: Project;
  const cleanups: (() => Promise<void> | undefined)[] = [];
  beforeEach(() => {
    project = new Project();
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    project.remove();
  });

  /** A `remote` manager over real threads that load this module; null: over the registered scorers. */
  async function remote(source: string | null, setup: Setup = {}): Promise<RewardManager & { started(): number }> {
    const { file = "reward.mjs", count = 2, isAble = true, loadMs, ...options } = setup;
    if (source !== null) project.write({ [file]: source });
    const logger = lineLogger(() => {});
    const rewardMain = isAble ? REWARD_MAIN : undefined;
    const host = await createHost({
      cwd: project.dir,
      env: {},
      builtins: BUILTINS,
      logger,
      rewardMain,
      deadlineMs: loadMs,
    });
    cleanups.push(() => host.dispose());
    const services = await host.services({ device: "cpu" });
    const { find, knownDataSources } = createScorerIndex(services.registries.scorers.items().map(({ item }) => item));
    const task = {
      source: source === null ? null : { path: project.path(file), name: "compute_score" },
      kwargs: options.rewardKwargs ?? {},
      tracers: ["otel"],
    };
    let started = 0;
    const start = (index: number) => {
      started++;
      return services.startRewardWorker(index, task);
    };
    const manager = await createRemoteRewardManager(
      rewardManagerOptions({
        customFunction: source === null ? null : () => 0,
        findScorer: find,
        knownDataSources,
        workers: { count, start },
        ...options,
      }),
    );
    cleanups.push(() => manager.dispose?.());
    return { ...manager, started: () => started };
  }

  for (const [what, source, why] of [
    ["never settles", "export const compute_score = await new Promise(() => {});", "line 1"],
    ["computes for ever", "export const compute_score = () => 1; for (;;);", "blocks the thread"],
  ]) {
    it(`name a module whose import ${what}`, async () => {
      const error = await rejection(remote(source, { loadMs: 300 }));
      expect(error.code).to.be.oneOf(["VERL_REWARD_BAD_FUNCTION", "VERL_USER_TIMEOUT"]);
      expect(error.what).to.match(/did not (finish|load)/);
      expect(error.where).to.include("reward.mjs");
      expect(error.why).to.include(why);
    });
  }

  it("score with a function of the user's, which each loads once", async () => {
    const manager = await remote(
      `let calls = 0;
       export const compute_score = ({ solution, groundTruth, dataSource, extraInfo, kwargs }) => ({
         score: Number(solution === groundTruth) * kwargs.scale, calls: ++calls, dataSource, turns: extraInfo.num_turns,
       });`,
      { rewardKwargs: { scale: 2 }, count: 1 },
    );
    const input = rewardInput({ extraInfo: { num_turns: 3 } });
    await manager.score(input);
    expect(await manager.score(input)).to.deep.include({
      outcome: "scored",
      score: 2,
      extra: { score: 2, calls: 2, dataSource: "test", turns: 3 },
    });
    expect(manager.started()).to.equal(1);
  });

  it("read the media of what they score, whose bytes this process has", async () => {
    const media = new MediaStore();
    const ref = await media.take("image", { bytes: solidPng(8, 8, [1, 2, 3]) });
    const manager = await remote(
      `export const compute_score = async ({ media: [image] }) => {
         const bytes = await image.bytes();
         return { score: bytes.length, place: image.place, url: (await image.dataUrl()).slice(0, 22), type: bytes.constructor.name };
       };`,
      { media, count: 1 },
    );
    const { score, extra } = await manager.score(rewardInput({ media: [{ ...ref, place: "prompt" }] }));
    expect(score).to.equal(ref.byteLength);
    expect(extra).to.include({ place: "prompt", url: "data:image/png;base64,", type: "Uint8Array" });
    const gone = await manager.score(rewardInput({ media: [{ ...ref, id: "0".repeat(64), place: "prompt" }] }));
    expect(gone.outcome).to.equal("error");
    expect(gone.message).to.contain("VERL_DATA_MEDIA").and.contain("train.jsonl:12");
  });

  it("load TypeScript, and await asynchronous functions", async () => {
    const manager = await remote(
      "export const compute_score = async (input: { solution: string }) => Number(input.solution);",
      {
        file: "reward.ts",
      },
    );
    expect((await manager.score(rewardInput())).score).to.equal(42);
  });

  it("leave this process free, and run beside each other", async () => {
    const manager = await remote(
      `${AWAIT_FILE}
       export const compute_score = ({ extraInfo: { own, other, go } }) => {
         writeFileSync(own, "");
         awaitFile(other);
         awaitFile(go);
         return 1;
       };`,
      { deadlineMs: 50_000 },
    );
    const [a, b, go] = ["a", "b", "go"].map((name) => project.path(name));
    const scoring = Promise.all([
      manager.score(rewardInput({ extraInfo: { own: a, other: b, go } })),
      manager.score(rewardInput({ extraInfo: { own: b, other: a, go } })),
    ]);
    // Reached only if the event loop goes on while both compute.
    setTimeout(() => writeFileSync(go, ""), 1);
    expect((await scoring).map(({ score }) => score)).to.deep.equal([1, 1]);
    expect(manager.started()).to.equal(2);
  });

  it("are stopped by the deadline in the middle of a loop, and others take their place", async () => {
    const manager = await remote(
      `export const compute_score = ({ solution }) => {
         while (solution === "for ever");
         return 1;
       };`,
      { count: 1, deadlineMs: 300 },
    );
    const late = await manager.score(rewardInput({ solution: "for ever" }));
    expect(late).to.deep.include({ outcome: "timeout", score: null });
    expect(late.message).to.contain("0.3 s").and.contain("reward worker 1").and.contain("train.jsonl:12");
    expect((await manager.score(rewardInput())).score).to.equal(1);
    expect(manager.started()).to.equal(2);
  });

  it("stop a regular expression that goes astray", async () => {
    const manager = await remote("export const compute_score = ({ solution }) => Number(/^(a+)+$/.test(solution));", {
      count: 1,
      deadlineMs: 300,
    });
    expect((await manager.score(rewardInput({ solution: `${"a".repeat(60)}!` }))).outcome).to.equal("timeout");
  });

  it("do not count waiting for a thread against the deadline", async () => {
    const manager = await remote(
      "export const compute_score = () => { const until = Date.now() + 40; while (Date.now() < until); return 1; };",
      { count: 1, deadlineMs: 400 },
    );
    const results = await Promise.all(Array.from({ length: 15 }, () => manager.score(rewardInput())));
    expect(results.map(({ outcome }) => outcome)).to.deep.equal(Array(15).fill("scored"));
    expect(results.at(-1)?.seconds?.queue).to.be.above(0.4);
  });

  it("name the worker, the line and the row of what goes wrong in a function", async () => {
    const manager = await remote(
      `export const compute_score = ({ solution }) => {
         if (solution === "throw") throw new Error("judge is down");
         if (solution === "text") return "good";
         if (solution === "exit") process.exit(3);
         if (solution === "reject") Promise.reject(new Error("nobody awaits me"));
         return new Promise((resolve) => setTimeout(resolve, 1000, 1));
       };`,
      { count: 1 },
    );
    const message = async (solution: string) => {
      const { outcome, score, message } = await manager.score(rewardInput({ solution }));
      expect({ outcome, score }, solution).to.deep.equal({ outcome: "error", score: null });
      expect(message).to.contain("train.jsonl:12");
      return message;
    };
    expect(await message("throw"))
      .to.contain("judge is down")
      .and.contain("reward worker 1")
      .and.match(/reward\.mjs:2/);
    expect(await message("text"))
      .to.contain("VERL_REWARD_BAD_RESULT")
      .and.contain('the text "good"');
    expect(await message("exit")).to.contain(
      "VERL_REWARD_WORKER_LOST: reward worker 1 is gone: it exited with status 3",
    );
    expect(await message("reject")).to.contain("it threw: nobody awaits me");
  });

  it("say before the run starts that a function cannot be loaded, and where", async () => {
    const missing = await rejection(remote("export const other = 1;"));
    expect(missing.code).to.equal("VERL_REWARD_BAD_FUNCTION");
    expect(missing.message).to.contain("reward worker 1").and.contain("reward.mjs").and.contain("exports other");
    const broken = await rejection(remote("throw new Error('no licence');", { file: "broken.mjs" }));
    expect(broken.message).to.contain("reward worker 1").and.contain("broken.mjs").and.contain("no licence");
  });

  it("score with the registered scorers, those that need the sandbox apart", async () => {
    const sandbox = createFakeSandbox({ run: async () => ({ stdout: "42\n" }) });
    const manager = await remote(null, { sandbox: async () => sandbox });
    const ruled = rewardInput({ dataSource: "openai/gsm8k", solution: "#### 42" });
    expect((await manager.score(ruled)).score).to.equal(1);
    const program = rewardInput({
      dataSource: "apps",
      solution: "```python\nprint(42)\n```",
      groundTruth: { inputs: [""], outputs: ["42\n"] },
    });
    expect((await manager.score(program)).score).to.equal(1);
    expect(sandbox.programs).to.have.length(1);
    expect(() => manager.supports("my/data")).to.throw("VERL_REWARD_NO_SCORER");
  });

  it("have no sandbox for functions", async () => {
    const manager = await remote("export const compute_score = async ({ sandbox }) => { await sandbox(); return 1; };");
    expect((await manager.score(rewardInput())).message).to.contain("VERL_REWARD_NOT_IN_WORKER");
  });

  it("are stopped when the caller gives up", async () => {
    const manager = await remote(`${AWAIT_FILE}
      export const compute_score = ({ extraInfo }) => { writeFileSync(extraInfo.own, ""); while (true); };`);
    const own = project.path("begun");
    const controller = new AbortController();
    const scoring = manager.score(rewardInput({ extraInfo: { own } }), { signal: controller.signal });
    const reason = new Error("the run is over");
    setTimeout(() => controller.abort(reason), 1);
    expect(await scoring.catch((error: unknown) => error)).to.equal(reason);
  });

  it("pay the penalty of dapo where its options ask for it", async () => {
    const manager = await remote("export const compute_score = () => 1;", {
      rewardKwargs: { max_resp_len: 100, overlong_buffer_cfg: { enable: true, len: 20, penalty_factor: 1 } },
    });
    const input = rewardInput({ responseIds: Array(90).fill(1) });
    expect((await manager.score(input)).score).to.equal(0.5);
  });

  it("need a program that can start them", async () => {
    const error = await rejection(remote("export const compute_score = () => 1;", { isAble: false }));
    expect(error.code).to.equal("VERL_REWARD_NO_WORKERS");
  });

  describe("in traces", () => {
    const shape = ({ start, children }: RecordedSpan): unknown => [
      `${start.kind} ${start.name}`,
      ...children.map(shape),
    ];
    const PLUGIN = JSON.stringify(new URL("../../core/plugin.js", import.meta.url).href);
    const JUDGED = (address: string) => `
      import { createJudge } from ${PLUGIN};
      const judge = createJudge({ addresses: ["${address}"], model: "own", maxTries: 1 });
      export const compute_score = async ({ solution }) => {
        const { text } = await judge.chat({ messages: [{ role: "user", content: solution }] });
        if (text === "0") for (;;);
        return Number(text);
      };`;

    it("requests to judges are in the call that makes them, also where a deadline ends it", async () => {
      await using server = await HttpServer.start(({ body }) => completion(body.messages[0].content));
      const tracer = new RecordingTracer();
      const manager = await remote(JUDGED(server.address), { tracer, count: 2, deadlineMs: 2000 });
      const score = (solution: string) =>
        tracer.span({ kind: "reward", name: solution, root: true }, () => manager.score(rewardInput({ solution })));
      const [one, none] = await Promise.all([score("1"), score("0")]);
      expect([one.score, none.outcome]).to.deep.equal([1, "timeout"]);
      expect(tracer.roots.map(shape)).to.deep.equal([
        ["reward 1", ["score function", ["judge judge"]]],
        ["reward 0", ["score function", ["judge judge"]]],
      ]);
      const [judge] = tracer.roots[0].children[0].children;
      expect(judge.attributes).to.include({ [ATTRIBUTE.model]: "own" });
    });

    it("a request that is under way when its thread is ended fails inside the call", async () => {
      const { reply, release } = heldReply();
      await using server = await HttpServer.start(reply);
      const tracer = new RecordingTracer();
      const manager = await remote(JUDGED(server.address), { tracer, count: 1, deadlineMs: 500 });
      const open: boolean[] = [];
      await tracer.span({ kind: "reward", name: "x", root: true }, async () => {
        await manager.score(rewardInput({ solution: "1" }));
        open.push(...tracer.roots[0].children[0].children.map(({ ended }) => ended));
      });
      release();
      const [judge] = tracer.roots[0].children[0].children;
      expect(open).to.deep.equal([true]);
      expect(judge.error).to.have.property("code", "VERL_REWARD_WORKER_LOST");
    });
  });
});
