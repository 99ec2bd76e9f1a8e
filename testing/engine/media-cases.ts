import assert from "node:assert/strict";
import { type BaseEngine, type Column, type SequenceBatch, selectSequences } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";
import { assertClose, type EngineMaker, optimizerWith, probe, SAMPLE_LOSS, withEngine } from "./engine-under-test.js";

export interface MediaEngineUnderTest {
  readonly make: EngineMaker;
  /**
   * Three sequences or more with media, prepared by the model's processor, and one without. `other` has the same tokens and other
   * media in every sequence that has any.
   */
  readonly batch: SequenceBatch;
  readonly other: SequenceBatch;
}

/** What an engine that declares `multiModal` must do besides `engineConformance`. Run it with `runConformance`. */
export function mediaEngineConformance({ make, ...subject }: MediaEngineUnderTest): ConformanceCase[] {
  const [batch, other] = [withColumns(subject.batch), withColumns(subject.other)];
  const logProbs = async (engine: BaseEngine, of: SequenceBatch, microBatchSize?: number) => {
    await using _mode = await engine.evalMode();
    const options = microBatchSize === undefined ? {} : { microBatchSize };
    return (await engine.inferBatch(of, ["logProb"], options)).logProb as Float32Array;
  };
  const responseOf = (values: Float32Array, of: SequenceBatch, b: number) =>
    values.subarray(of.responseOffsets[b], of.responseOffsets[b + 1]);
  return [
    {
      name: "declares that it takes media",
      async run() {
        const engine = await make({ optimizer: optimizerWith() });
        assert.equal(engine.capabilities.multiModal, true);
        await engine.dispose();
      },
    },
    {
      name: "computes something else for other media, and the same for a sequence without any",
      run: () =>
        withEngine(make, optimizerWith(), async (engine) => {
          const [a, b] = [await logProbs(engine, batch), await logProbs(engine, other)];
          for (let row = 0; row < batch.size; row++) {
            const [one, two] = [responseOf(a, batch, row), responseOf(b, other, row)];
            if (batch.media?.[row].length) assert.notDeepEqual(one, two, `sequence ${row}`);
            else assert.deepEqual(one, two, `sequence ${row}`);
          }
        }),
    },
    {
      name: "gives each sequence its own media, however the batch is cut and ordered",
      run: () =>
        withEngine(make, optimizerWith(), async (engine) => {
          const whole = await logProbs(engine, batch);
          near(await logProbs(engine, batch, 1), whole);
          const order = Array.from({ length: batch.size }, (_, b) => batch.size - 1 - b);
          const turned = selectSequences(batch, order);
          const values = await logProbs(engine, turned);
          for (const [b, row] of order.entries()) near(responseOf(values, turned, b), responseOf(whole, batch, row));
        }),
    },
    {
      name: "has the same gradients however the batch is cut, and whichever way it goes backward",
      async run() {
        const whole = await probe(make, batch, SAMPLE_LOSS);
        assertClose((await probe(make, batch, SAMPLE_LOSS, { microBatchSize: 1 })).gradients, whole.gradients, 1e-4);
        assertClose((await probe(make, batch, SAMPLE_LOSS, { backward: "twoPhase" })).gradients, whole.gradients, 1e-4);
      },
    },
    {
      name: "has other gradients for other media",
      async run() {
        const [a, b] = [await probe(make, batch, SAMPLE_LOSS), await probe(make, other, SAMPLE_LOSS)];
        assert.throws(() => assertClose(b.gradients, a.gradients, 1e-4));
      },
    },
  ];
}

/** What the suite's loss reads. */
function withColumns(batch: SequenceBatch): SequenceBatch {
  const numbers = (length: number, of: (i: number) => number) => Float32Array.from({ length }, (_, i) => of(i));
  const columns = new Map<string, Column>([
    ["weight", { extent: "token", data: numbers(batch.responseMask.length, (i) => Math.sin(2 * i + 1)) }],
    ["bonus", { extent: "sequence", data: numbers(batch.size, (b) => 1 + Math.cos(b)) }],
  ]);
  return { ...batch, columns };
}

function near(actual: Float32Array, expected: Float32Array): void {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, r) => {
    assert.ok(Math.abs(value - expected[r]) <= 1e-4 * Math.max(1, Math.abs(expected[r])), `response token ${r}`);
  });
}
