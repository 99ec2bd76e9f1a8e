import assert from "node:assert/strict";
import { type LossFunction, type SequenceBatch, selectSequences } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";
import {
  assertClose,
  type EngineMaker,
  optimizerWith,
  type Probe,
  probe,
  SAMPLE_LOSS,
  sampleBatch,
  type Tensors,
  withEngine,
} from "./engine-under-test.js";

const TOLERANCE = 1e-5;

export function gradientCases(make: EngineMaker): ConformanceCase[] {
  const batch = sampleBatch();
  return [
    {
      name: "gives the gradient of the loss: a small step along it lowers the loss as predicted",
      async run() {
        const { gradients, loss } = await probe(make, batch, SAMPLE_LOSS);
        const squared = [...gradients.values()].reduce((sum, g) => sum + g.reduce((s, x) => s + x * x, 0), 0);
        const stepSize = Math.min(1e-2, 1e-2 / Math.sqrt(squared));
        const damped = optimizerWith({ lr: stepSize * 1e4, eps: 1e4, betas: [0, 0], weightDecay: 0, clipGrad: 0 });
        const after = await withEngine(make, damped, async (engine) => {
          await using _mode = await engine.trainMode();
          await engine.trainBatch(batch, SAMPLE_LOSS);
          return (await engine.forwardBackwardBatch(batch, SAMPLE_LOSS)).loss;
        });
        const ratio = (loss - after) / (stepSize * squared);
        assert.ok(Math.abs(ratio - 1) < 0.05, `the loss fell by ${ratio} of what the gradient predicts`);
      },
    },
    {
      name: "gives the same loss, metrics and gradients however the batch is split",
      async run() {
        const whole = await probe(make, batch, SAMPLE_LOSS);
        for (const options of [{ microBatchSize: 1 }, { microBatchSize: 4 }, { maxTokensPerMicroBatch: 12 }]) {
          const split = await probe(make, batch, SAMPLE_LOSS, options);
          assert.ok(split.microBatches > 1);
          assertSameProbe(split, whole);
        }
      },
    },
    {
      name: "gives the mean of the gradients of data-parallel halves",
      async run() {
        const whole = await probe(make, batch, SAMPLE_LOSS);
        const tokens = batch.responseMask.reduce((a, b) => a + b, 0);
        const counts = { batchNumTokens: tokens, globalBatchSize: batch.size, dpSize: 2 };
        const halves = [
          [0, 2, 4],
          [1, 3, 5],
        ].map((rows) => selectSequences(batch, rows));
        const doubled: LossFunction = { ...SAMPLE_LOSS, key: "conformance/dp", build: dataParallelLoss };
        const [a, b] = [
          await probe(make, halves[0], doubled, { counts }),
          await probe(make, halves[1], doubled, { counts }),
        ];
        const mean = new Map<string, Float32Array>();
        for (const [name, g] of a.gradients)
          mean.set(
            name,
            g.map((x, i) => (x + (b.gradients.get(name) as Float32Array)[i]) / 2),
          );
        assertClose(mean, whole.gradients, TOLERANCE);
      },
    },
    {
      name: "gives the same gradients in two phases and in one",
      async run() {
        for (const temperature of [1, 0.6]) {
          const tempered = sampleBatch(temperature);
          const twoPhase = await probe(make, tempered, SAMPLE_LOSS, { backward: "twoPhase" });
          assertSameProbe(await probe(make, tempered, SAMPLE_LOSS), twoPhase);
        }
      },
    },
    {
      name: "scores a sequence alone, in company and in any order alike",
      run: () =>
        withEngine(make, optimizerWith(), async (engine) => {
          await using _mode = await engine.evalMode();
          const together = await engine.inferBatch(batch, ["logProb", "entropy"]);
          const order = [4, 1, 5, 0, 3, 2];
          const shuffled = selectSequences(batch, order);
          const outputs = await engine.inferBatch(shuffled, ["logProb", "entropy"], { maxTokensPerMicroBatch: 13 });
          for (const name of ["logProb", "entropy"] as const) {
            order.forEach((row, b) => {
              const expected = responseOf(together[name], batch, row);
              assertNear(responseOf(outputs[name], shuffled, b), expected, name);
            });
          }
          for (let row = 0; row < batch.size; row++) {
            const alone = await engine.inferBatch(selectSequences(batch, [row]), ["logProb"]);
            assertNear(alone.logProb as Float32Array, responseOf(together.logProb, batch, row), "logProb");
          }
        }),
    },
    {
      name: "infers the log-probabilities that training sees",
      run: () =>
        withEngine(make, optimizerWith({ lr: 0 }), async (engine) => {
          await using _mode = await engine.trainMode();
          const inferred = await engine.inferBatch(batch, ["logProb"]);
          const options = { returnOutputs: true, microBatchSize: 2 };
          const trained = await engine.trainBatch(batch, SAMPLE_LOSS, options);
          assertNear(trained.outputs.logProb as Float32Array, inferred.logProb as Float32Array, "logProb");
          const again = await engine.inferBatch(batch, ["logProb"]);
          assert.deepEqual(again.logProb, inferred.logProb, "an update at rate 0 changed the model");
        }),
    },
  ];
}

const dataParallelLoss: LossFunction["build"] = (g) => {
  const terms = SAMPLE_LOSS.build(g);
  return { loss: g.mul(g.count("dpSize"), terms.loss), metrics: {} };
};

function assertSameProbe(actual: Probe, expected: Probe): void {
  assert.ok(Math.abs(actual.loss - expected.loss) <= TOLERANCE * (1 + Math.abs(expected.loss)), "the loss differs");
  for (const [name, value] of Object.entries(expected.metrics)) {
    assert.ok(Math.abs(actual.metrics[name] - value) <= TOLERANCE * (1 + Math.abs(value)), `${name} differs`);
  }
  assertClose(actual.gradients as Tensors, expected.gradients, TOLERANCE);
}

function responseOf(values: Float32Array | undefined, batch: SequenceBatch, row: number): Float32Array {
  return (values as Float32Array).subarray(batch.responseOffsets[row], batch.responseOffsets[row + 1]);
}

function assertNear(actual: Float32Array, expected: Float32Array, name: string): void {
  assert.equal(actual.length, expected.length);
  actual.forEach((x, i) => {
    assert.ok(
      Math.abs(x - expected[i]) <= 1e-5 * (1 + Math.abs(expected[i])),
      `${name}[${i}]: ${x} and ${expected[i]}`,
    );
  });
}
