import { expect } from "chai";
import { BUILTINS } from "../../cli/builtins.js";
import type { RankProcesses } from "../../core/engine/index.js";
import { lineLogger } from "../../core/host/index.js";
import { createHost, type Host, type HostOptions } from "../../core/index.js";
import type { BaseEngine } from "../../core/plugin.js";
import { optimizerWith, probe, SAMPLE_LOSS, sampleBatch } from "../../testing/engine/engine-under-test.js";
import { rejection } from "./host/support/hosts.js";
import { Project } from "./host/support/project.js";
import { fakePlugin } from "./trainer/support/fake-plugin.js";
import { type Fault, faultyPlugin } from "./trainer/support/faulty-plugin.js";
import { RANK_MAIN } from "./trainer/support/toy-run.js";

const batch = sampleBatch();

describe("core processes of further ranks", function () {
  this.timeout(60_000);
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function startHost(options: HostOptions = {}): Promise<Host> {
    const host = await createHost({
      env: {},
      builtins: [...BUILTINS, fakePlugin, faultyPlugin],
      logger: lineLogger(() => {}),
      rankMain: RANK_MAIN,
      ...options,
    });
    cleanups.push(() => host.dispose());
    return host;
  }

  async function startRanks(host: Host, size = 2): Promise<RankProcesses> {
    const ranks = await (await host.services({ device: "cpu" })).startRanks(size);
    cleanups.push(() => ranks.dispose());
    return ranks;
  }

  async function makeEngine(
    host: Host,
    ranks: RankProcesses | null,
    { backend = "fake", fault = {}, optimizer = optimizerWith() } = {},
  ): Promise<BaseEngine> {
    const { createEngine } = await host.services();
    const model = { config: { vocab_size: 8, max_position_embeddings: 64 }, initSeed: 3 };
    const topology = { rank: 0, size: 1, isOutputSource: true };
    return createEngine(
      "language_model",
      backend,
      { model, optimizer, topology, threads: 1, seed: 1, extra: fault },
      ranks,
    );
  }

  async function faulty(fault: Fault) {
    const host = await startHost();
    const ranks = await startRanks(host);
    const engine = await makeEngine(host, ranks, { backend: "faulty", fault: { ...fault } });
    await engine.initialize();
    await engine.trainMode();
    return { ranks, engine };
  }

  it("train as one process does: loss, metrics and gradients within 1e-5, losses over the mini-batch too", async () => {
    const host = await startHost();
    const ranks = await startRanks(host, 3);
    for (const scope of ["token", "miniBatch"] as const) {
      const loss = { ...SAMPLE_LOSS, scope, key: `conformance/${scope}` };
      const of = (group: RankProcesses | null) =>
        probe(({ optimizer }) => makeEngine(host, group, { optimizer }), batch, loss, { microBatchSize: 1 });
      const [one, three] = [await of(null), await of(ranks)];
      expect(three.microBatches).to.equal(one.microBatches);
      expect(three.loss).to.be.closeTo(one.loss, 1e-6);
      for (const [name, value] of Object.entries(one.metrics)) expect(three.metrics[name]).to.be.closeTo(value, 1e-6);
      for (const [name, expected] of one.gradients) {
        const norm = Math.hypot(...expected);
        const difference = Math.hypot(...expected.map((x, i) => x - (three.gradients.get(name) as Float32Array)[i]));
        expect(difference / norm, name).to.be.below(1e-5);
      }
    }
  });

  it("name the rank and the signal when one is killed, in the call under way, in later ones, and at once", async () => {
    const { ranks, engine } = await faulty({ rank: 1, call: "backward", at: 1, does: "kill" });
    const error = await rejection(engine.trainBatch(batch, SAMPLE_LOSS));
    expect(error.code).to.equal("VERL_ENGINE_RANK_LOST");
    expect(error.what).to.match(/^the training process of rank 1 \(pid \d+\) is gone: it was ended by SIGKILL$/);
    expect(ranks.lost.aborted).to.equal(true);
    expect(ranks.lost.reason.code).to.equal("VERL_ENGINE_RANK_LOST");
    expect((await rejection(engine.inferBatch(batch, ["logProb"]))).code).to.equal("VERL_ENGINE_RANK_LOST");
    await engine.dispose();
  });

  it("say with which status one has exited", async () => {
    const { engine } = await faulty({ rank: 1, call: "forward", at: 2, does: "exit" });
    await engine.inferBatch(batch, ["logProb"]);
    expect((await rejection(engine.inferBatch(batch, ["logProb"]))).what).to.include("it exited with status 7");
  });

  it("bring the errors of a rank home, and go on", async () => {
    const { engine } = await faulty({ rank: 1, call: "forward", at: 1, does: "throw" });
    const error = await rejection(engine.trainBatch(batch, SAMPLE_LOSS));
    expect(error.code).to.equal("VERL_ENGINE_RANK_FAILED");
    expect(error.what).to.match(/^rank 1: the table is on fire \(at .*faulty-plugin\.js/);
    expect((await engine.trainBatch(batch, SAMPLE_LOSS)).skipped).to.equal(false);
  });

  it("skip together an update whose gradient is not finite", async () => {
    const host = await startHost();
    const engine = await makeEngine(host, await startRanks(host));
    await engine.initialize();
    await using _mode = await engine.trainMode();
    const bad = {
      kind: "opaque",
      name: "bad",
      scope: "token",
      outputs: ["logProb"],
      // Not finite in one row alone, so on one rank alone.
      compute: ({ responseMask }: { responseMask: ArrayLike<number> }) => ({
        loss: 0,
        metrics: {},
        gradients: { logProb: new Float32Array(responseMask.length).fill(responseMask.length === 7 ? Number.NaN : 1) },
      }),
    } as const;
    expect(await engine.trainBatch(batch, bad, { microBatchSize: 1 })).to.include({ skipped: true });
    const good = await engine.trainBatch(batch, SAMPLE_LOSS);
    expect(good.skipped).to.equal(false);
    expect(good.gradNorm).to.be.above(0).and.below(10);
  });

  it("stop together when a call is aborted, and go on afterwards", async () => {
    const host = await startHost();
    const engine = await makeEngine(host, await startRanks(host));
    await engine.initialize();
    await using _mode = await engine.trainMode();
    const controller = new AbortController();
    const reason = new Error("enough");
    const aborting = {
      kind: "opaque",
      name: "aborting",
      scope: "token",
      outputs: ["logProb"],
      compute: ({ responseMask }: { responseMask: ArrayLike<number> }) => {
        controller.abort(reason);
        return { loss: 0, metrics: {}, gradients: { logProb: new Float32Array(responseMask.length).fill(1) } };
      },
    } as const;
    const run = engine.trainBatch(batch, aborting, { microBatchSize: 1, signal: controller.signal });
    expect(await run.catch((error) => error)).to.equal(reason);
    expect((await engine.optimizerStep()).gradNorm, "no gradient is left on any rank").to.equal(0);
    expect((await engine.trainBatch(batch, SAMPLE_LOSS)).gradNorm).to.be.above(0);
  });

  it("are gone once disposed, however busy", async () => {
    const { ranks, engine } = await faulty({ rank: 1, call: "forward", at: 1, does: "hang" });
    const run = rejection(engine.inferBatch(batch, ["logProb"]));
    await new Promise((resolve) => setImmediate(resolve));
    await ranks.dispose();
    expect((await run).what).to.include("it was ended by SIGKILL");
    expect(ranks.lost.aborted, "its end was expected").to.equal(false);
  });

  it("must register what the driver registers", async () => {
    const name = "`p-${host.process.role}`";
    const project = new Project().install("p", {
      files: { "register.js": `export function register(host) { host.hooks.register({ name: ${name} }); }` },
    });
    cleanups.push(async () => project.remove());
    const host = await startHost({ cwd: project.dir, env: { VERL_USE_EXTERNAL_MODULES: "p" } });
    const error = await rejection(startRanks(host));
    expect(error.code).to.equal("VERL_PLUGIN_FINGERPRINT");
    expect(error.message).to.include("hooks p-driver p@1.0.0").and.to.include("hooks p-trainer p@1.0.0");
  });

  it("are refused to engines and programs that cannot have them", async () => {
    const host = await startHost();
    const engine = await rejection(makeEngine(host, await startRanks(host), { backend: "lonely" }));
    expect(engine.code).to.equal("VERL_ENGINE_ONE_PROCESS");
    expect(engine.what).to.equal("the engine lonely trains in one process, and 2 are asked for");
    const program = await rejection(startRanks(await startHost({ rankMain: undefined })));
    expect(program.code).to.equal("VERL_ENGINE_ONE_PROCESS");
  });
});
