import { expect } from "chai";
import type { LossFunction, LossScope } from "../../../core/algorithms/index.js";
import { packSequences } from "../../../core/data/index.js";
import { isVerlError } from "../../../core/host/errors.js";
import { createFakeEngine, FAKE_OPTIMIZER, type FakeEngineOptions } from "../../../testing/index.js";

const batch = packSequences([
  { promptIds: [1], responseIds: [2, 3] },
  { promptIds: [4, 5], responseIds: [6] },
  { promptIds: [7], responseIds: [1, 1, 2] },
  { promptIds: [3], responseIds: [3, 4] },
]);

/** The square of the mean log-probability: not a sum over micro-batches. */
function squaredMean(scope: LossScope): LossFunction {
  return {
    kind: "algebra",
    name: "squared mean",
    scope,
    outputs: ["logProb"],
    columns: [],
    key: `squared-mean/${scope}`,
    build(g) {
      const mean = g.div(g.sum(g.mul(g.output("logProb"), g.mask())), g.count("batchNumTokens"));
      return { loss: g.square(mean), metrics: { mean: { value: mean, reduction: "sum" } } };
    },
  };
}

async function trained(
  loss: LossFunction,
  options: { microBatchSize?: number },
  engineOptions: FakeEngineOptions = {},
) {
  const engine = createFakeEngine(engineOptions);
  await engine.initialize();
  await using _mode = await engine.trainMode();
  return engine.trainBatch(batch, loss, { ...options, returnOutputs: true });
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "no error";
  } catch (error) {
    return isVerlError(error) ? error.code : String(error);
  }
}

describe("core/engine composeEngine", () => {
  it("evaluates a loss over the mini-batch once, however the batch is split", async () => {
    const whole = await trained(squaredMean("miniBatch"), {});
    const calls: string[] = [];
    const split = await trained(squaredMean("miniBatch"), { microBatchSize: 1 }, { onCall: (c) => void calls.push(c) });
    expect(split.microBatches).to.equal(4);
    expect(split.loss).to.equal(whole.loss);
    expect(split.gradNorm).to.be.closeTo(whole.gradNorm, 1e-12);
    expect(split.outputs).to.deep.equal(whole.outputs);
    expect(calls.filter((c) => c === "forward" || c === "backward")).to.deep.equal([
      ...Array(4).fill("forward"),
      ...Array(4).fill("backward"),
    ]);
  });

  it("skips the backward pass where all gradients are 0", async () => {
    const zero: LossFunction = {
      ...squaredMean("token"),
      key: "zero",
      build: (g) => ({ loss: g.sum(g.mul(g.constant(0), g.output("logProb"))), metrics: {} }),
    };
    const calls: string[] = [];
    await trained(zero, {}, { onCall: (c) => void calls.push(c) });
    expect(calls).to.not.include("backward");
  });

  it("refuses training without train mode, inference without a mode, and both before initialize", async () => {
    const engine = createFakeEngine();
    expect(await codeOf(engine.trainMode())).to.equal("VERL_ENGINE_NOT_INITIALIZED");
    await engine.initialize();
    expect(await codeOf(engine.trainBatch(batch, squaredMean("token")))).to.equal("VERL_ENGINE_WRONG_MODE");
    expect(await codeOf(engine.inferBatch(batch, ["logProb"]))).to.equal("VERL_ENGINE_WRONG_MODE");
    await using _mode = await engine.evalMode();
    expect(await codeOf(engine.optimizerStep())).to.equal("VERL_ENGINE_WRONG_MODE");
    expect((await engine.inferBatch(batch, ["logProb"])).logProb).to.have.lengthOf(8);
  });

  it("refuses training on a forward-only engine", async () => {
    const engine = createFakeEngine({ optimizer: null });
    await engine.initialize();
    expect(await codeOf(engine.trainMode())).to.equal("VERL_ENGINE_FORWARD_ONLY");
  });

  it("refuses batches that do not fit the model, by name", async () => {
    const engine = createFakeEngine({ vocabSize: 8, maxPositions: 4 });
    await engine.initialize();
    await using _mode = await engine.evalMode();
    const infer = (promptIds: number[], responseIds: number[]) =>
      codeOf(engine.inferBatch(packSequences([{ promptIds, responseIds }]), ["logProb"]));
    expect(await infer([1], [8])).to.equal("VERL_ENGINE_BAD_BATCH");
    expect(await infer([], [1])).to.equal("VERL_ENGINE_BAD_BATCH");
    expect(await infer([1, 2, 3], [1, 2])).to.equal("VERL_ENGINE_SEQUENCE_TOO_LONG");
    expect(await codeOf(engine.inferBatch(batch, ["values"]))).to.equal("VERL_ENGINE_OUTPUT_UNSUPPORTED");
  });

  it("demands global counts from data-parallel ranks", async () => {
    const topology = { rank: 1, size: 2, isOutputSource: true };
    const engine = createFakeEngine({ topology });
    await engine.initialize();
    await using _mode = await engine.trainMode();
    expect(await codeOf(engine.trainBatch(batch, squaredMean("token")))).to.equal("VERL_ALGORITHMS_MISSING_INPUT");
    const counts = { batchNumTokens: 16, globalBatchSize: 8 };
    expect(await codeOf(engine.trainBatch(batch, squaredMean("token"), { counts }))).to.equal("no error");
  });

  it("runs calls one at a time, in order", async () => {
    let running = 0;
    const onCall = async () => {
      expect(++running).to.equal(1);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    };
    const engine = createFakeEngine({ onCall });
    await engine.initialize();
    await using _mode = await engine.trainMode();
    await Promise.all([
      engine.trainBatch(batch, squaredMean("token")),
      engine.inferBatch(batch, ["logProb"]),
      engine.trainBatch(batch, squaredMean("token"), { microBatchSize: 1 }),
    ]);
  });

  it("clips to the norm bound and reports the norm before", async () => {
    const stepWith = async (clipGrad: number) => {
      const optimizer = { ...FAKE_OPTIMIZER, lr: 1e6, eps: 1e6, betas: [0, 0] as const, clipGrad };
      const engine = createFakeEngine({ optimizer });
      await engine.initialize();
      const table = async () => {
        for await (const { data } of engine.getPerTensorParam()) return Float64Array.from(data as Float32Array);
        return new Float64Array();
      };
      const before = await table();
      await using _mode = await engine.trainMode();
      const { gradNorm } = await engine.trainBatch(batch, squaredMean("token"));
      const after = await table();
      return { gradNorm, moved: Math.hypot(...before.map((x, i) => x - after[i])) };
    };
    const free = await stepWith(0);
    expect(free.moved).to.be.closeTo(free.gradNorm, 1e-4 * free.gradNorm);
    const clipped = await stepWith(free.gradNorm / 4);
    expect(clipped.gradNorm).to.equal(free.gradNorm);
    expect(clipped.moved).to.be.closeTo(free.gradNorm / 4, 1e-4 * free.gradNorm);
  });
});
