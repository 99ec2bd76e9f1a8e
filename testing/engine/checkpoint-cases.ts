import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { BaseEngine } from "../../core/plugin.js";
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

export function checkpointCases(make: EngineMaker): ConformanceCase[] {
  const batch = sampleBatch();
  const schedule = { type: "cosine", warmupSteps: 1, totalSteps: 10, minLrRatio: 0, numCycles: 0.5 } as const;
  const optimizer = optimizerWith({ schedule });
  const train = async (engine: BaseEngine, updates: number) => {
    await using _mode = await engine.trainMode();
    for (let i = 0; i < updates; i++) {
      await engine.trainBatch(batch, SAMPLE_LOSS);
      await engine.lrSchedulerStep();
    }
  };
  return [
    {
      name: "exports every parameter once, the same each time",
      run: () =>
        withEngine(make, optimizer, async (engine) => {
          const names: string[] = [];
          let elements = 0;
          for await (const { name, shape, data } of engine.getPerTensorParam()) {
            names.push(name);
            elements += data.length;
            assert.equal(
              data.length,
              shape.reduce((n, d) => n * d, 1),
              `${name}: the shape does not fit the data`,
            );
          }
          assert.equal(new Set(names).size, names.length);
          assert.equal(elements, engine.modelInfo().parameters);
          for await (const _tensor of engine.getPerTensorParam()) break;
          assertSame(await parametersOf(engine), await parametersOf(engine));
        }),
    },
    {
      name: "continues from a checkpoint as if nothing had happened, bit for bit",
      async run() {
        const dir = await mkdtemp(path.join(os.tmpdir(), "verl-engine-"));
        try {
          const [expected, rate] = await withEngine(make, optimizer, async (engine) => {
            await train(engine, 2);
            await engine.saveCheckpoint(dir);
            await train(engine, 2);
            return [await parametersOf(engine), engine.learningRate] as const;
          });
          await withEngine(make, optimizer, async (engine) => {
            await train(engine, 1);
            await engine.loadCheckpoint(dir);
            await train(engine, 2);
            assertSame(await parametersOf(engine), expected);
            assert.equal(engine.learningRate, rate);
          });
        } finally {
          await rm(dir, { recursive: true });
        }
      },
    },
    {
      name: "loads only the parts that are asked for",
      async run() {
        const dir = await mkdtemp(path.join(os.tmpdir(), "verl-engine-"));
        try {
          const saved = await withEngine(make, optimizer, async (engine) => {
            await train(engine, 2);
            await engine.saveCheckpoint(dir, { contents: ["model"] });
            return parametersOf(engine);
          });
          await withEngine(make, optimizer, async (engine) => {
            await engine.loadCheckpoint(dir, { contents: ["model"] });
            assertSame(await parametersOf(engine), saved);
            assert.equal(engine.learningRate, 0, "the schedule moved without `extra`");
            await assert.rejects(engine.loadCheckpoint(dir, { contents: ["extra"] }));
          });
        } finally {
          await rm(dir, { recursive: true });
        }
      },
    },
  ];
}
