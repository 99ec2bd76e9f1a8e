import assert from "node:assert/strict";
import type { AnyLoss, OpaqueLoss } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";
import {
  assertSame,
  type EngineMaker,
  optimizerWith,
  parametersOf,
  SAMPLE_LOSS,
  sampleBatch,
  withEngine,
} from "./engine-under-test.js";

/** Gradients of all ones, or what `gradient` says, from an opaque loss. */
function opaque(gradient: (call: number) => number): OpaqueLoss {
  let call = 0;
  return {
    kind: "opaque",
    name: "opaque",
    scope: "token",
    outputs: ["logProb"],
    compute: ({ outputs }) => {
      const value = gradient(call++);
      const logProb = new Float32Array(outputs.logProb?.length ?? 0).fill(value);
      return { loss: 1, metrics: {}, gradients: { logProb } };
    },
  };
}

export function lifecycleCases(make: EngineMaker): ConformanceCase[] {
  const batch = sampleBatch();
  return [
    {
      name: "knows its topology and capabilities before it is initialised",
      async run() {
        const engine = await make({ optimizer: optimizerWith() });
        assert.ok(engine.topology.size >= 1);
        assert.ok(engine.topology.rank >= 0 && engine.topology.rank < engine.topology.size);
        assert.equal(typeof engine.topology.isOutputSource, "boolean");
        assert.ok(engine.capabilities.outputs.includes("logProb"));
        await engine.dispose();
      },
    },
    {
      name: "refuses a batch with media unless it declares that it takes them",
      run: () =>
        withEngine(make, optimizerWith(), async (engine) => {
          if (engine.capabilities.multiModal) return;
          const medium = { kind: "image" as const, id: "0".repeat(64), mimeType: "image/png", byteLength: 1 };
          const media = Array.from({ length: batch.size }, () => [{ ...medium, offset: 0, length: 1, inputs: {} }]);
          await using _mode = await engine.evalMode();
          await assert.rejects(engine.inferBatch({ ...batch, media }, ["logProb"]), { code: "VERL_ENGINE_NO_MEDIA" });
        }),
    },
    {
      name: "nests modes and returns to the outer one",
      run: () =>
        withEngine(make, optimizerWith(), async (engine) => {
          assert.equal(engine.mode, null);
          const outer = await engine.trainMode();
          const inner = await engine.evalMode();
          assert.equal(engine.mode, "eval");
          const innermost = await engine.trainMode();
          assert.equal(engine.mode, "train");
          await innermost[Symbol.asyncDispose]();
          assert.equal(engine.mode, "eval");
          await inner[Symbol.asyncDispose]();
          await inner[Symbol.asyncDispose]();
          assert.equal(engine.mode, "train");
          await outer[Symbol.asyncDispose]();
          assert.equal(engine.mode, null);
        }),
    },
    {
      name: "clears gradients when train mode ends, unless told not to",
      run: () =>
        withEngine(make, optimizerWith({ lr: 0 }), async (engine) => {
          for (const zeroGradOnExit of [true, false]) {
            const mode = await engine.trainMode({ zeroGradOnExit });
            await engine.forwardBackwardBatch(batch, SAMPLE_LOSS);
            await mode[Symbol.asyncDispose]();
            await using _again = await engine.trainMode({ zeroGradOnExit: true });
            const { gradNorm } = await engine.optimizerStep();
            assert.equal(gradNorm === 0, zeroGradOnExit);
          }
        }),
    },
    {
      name: "leaves no gradients behind when a loss throws",
      run: () =>
        withEngine(make, optimizerWith({ lr: 0 }), async (engine) => {
          await using _mode = await engine.trainMode();
          const failing = opaque((call) => {
            if (call === 1) throw new Error("second micro-batch");
            return 1;
          });
          await assert.rejects(
            engine.forwardBackwardBatch(batch, failing, { microBatchSize: 2 }),
            /second micro-batch/,
          );
          assert.equal((await engine.optimizerStep()).gradNorm, 0);
          assert.equal(engine.mode, "train");
        }),
    },
    {
      name: "skips an update whose gradient norm is not finite",
      run: () =>
        withEngine(make, optimizerWith(), async (engine) => {
          const before = await parametersOf(engine);
          await using _mode = await engine.trainMode();
          const bad = await engine.trainBatch(batch, opaque(() => Number.NaN) as AnyLoss);
          assert.equal(bad.skipped, true);
          assert.ok(!Number.isFinite(bad.gradNorm));
          assert.equal(engine.skippedUpdates, 1);
          assertSame(await parametersOf(engine), before);
          const good = await engine.forwardBackwardBatch(batch, SAMPLE_LOSS);
          assert.ok(Number.isFinite(good.loss));
          const step = await engine.optimizerStep();
          assert.equal(step.skipped, false);
          assert.ok(Number.isFinite(step.gradNorm) && step.gradNorm > 0);
        }),
    },
    {
      name: "follows its learning-rate schedule, one step per call",
      run: () => {
        const schedule = { type: "cosine", warmupSteps: 2, totalSteps: 6, minLrRatio: 0.1, numCycles: 0.5 } as const;
        return withEngine(make, optimizerWith({ lr: 0.5, schedule }), async (engine) => {
          assert.equal(engine.learningRate, 0);
          const rates: number[] = [];
          for (let i = 0; i < 6; i++) rates.push(await engine.lrSchedulerStep());
          assert.equal(engine.learningRate, rates[5]);
          const expected = [0.25, 0.5, 0.434099, 0.275, 0.115901, 0.05];
          expected.forEach((rate, i) => {
            assert.ok(Math.abs(rates[i] - rate) < 1e-5, `step ${i + 1}: ${rates[i]} instead of ${rate}`);
          });
        });
      },
    },
    {
      name: "stops when it is aborted, with the reason, and leaves no gradients",
      run: () =>
        withEngine(make, optimizerWith({ lr: 0 }), async (engine) => {
          await using _mode = await engine.trainMode();
          const reason = new Error("enough");
          const early = engine.trainBatch(batch, SAMPLE_LOSS, { signal: AbortSignal.abort(reason) });
          await assert.rejects(early, (error) => error === reason);
          const controller = new AbortController();
          const loss = opaque(() => {
            controller.abort(reason);
            return 1;
          });
          const late = engine.forwardBackwardBatch(batch, loss, { microBatchSize: 2, signal: controller.signal });
          await assert.rejects(late, (error) => error === reason);
          assert.equal((await engine.optimizerStep()).gradNorm, 0);
          await assert.rejects(engine.inferBatch(batch, ["logProb"], { signal: AbortSignal.abort(reason) }));
        }),
    },
  ];
}
