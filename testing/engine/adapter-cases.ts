import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type AdapterConfig, type BaseEngine, isVerlError, type OptimizerConfig } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";
import { assertSame, optimizerWith, parametersOf, SAMPLE_LOSS, sampleBatch } from "./engine-under-test.js";

/** Makes an engine that has not been initialised, with the same weights each time and the adapter that is asked for. */
export type AdaptedEngineMaker = (wanted: {
  readonly optimizer: OptimizerConfig;
  readonly adapter: AdapterConfig | null;
}) => Promise<BaseEngine> | BaseEngine;

const ADAPTER: AdapterConfig = { rank: 2, alpha: 4, targetModules: "all-linear" };

/** What an engine must do that says it honours adapters (`capabilities.adapters`). */
export function adapterConformance(make: AdaptedEngineMaker): ConformanceCase[] {
  const batch = sampleBatch();
  const withAdapter = async <T>(body: (engine: BaseEngine) => Promise<T>, adapter: AdapterConfig | null = ADAPTER) => {
    const engine = await make({ optimizer: optimizerWith(), adapter });
    try {
      await engine.initialize();
      return await body(engine);
    } finally {
      await engine.dispose();
    }
  };
  const train = async (engine: BaseEngine, updates: number) => {
    await using _mode = await engine.trainMode();
    for (let i = 0; i < updates; i++) await engine.trainBatch(batch, SAMPLE_LOSS);
  };
  const logProb = async (engine: BaseEngine) => {
    await using _mode = await engine.evalMode();
    return (await engine.inferBatch(batch, ["logProb"])).logProb as Float32Array;
  };
  return [
    {
      name: "begins with an adapter that changes nothing, and says how much of it is trained",
      run: () =>
        withAdapter(async (engine) => {
          assert.equal(engine.capabilities.adapters, true);
          const { parameters, trainedParameters = 0 } = engine.modelInfo();
          assert.ok(
            trainedParameters > 0 && trainedParameters !== parameters,
            `trains ${trainedParameters} parameters`,
          );
          const plain = await withAdapter(logProb, null);
          assert.deepEqual(await logProb(engine), plain);
        }),
    },
    {
      name: "trains the adapter alone: without it the model is what it was, bit for bit",
      run: () =>
        withAdapter(async (engine) => {
          const [weights, before] = [await parametersOf(engine), await logProb(engine)];
          await train(engine, 2);
          const [trained, after] = [await parametersOf(engine), await logProb(engine)];
          assert.deepEqual([...trained.keys()], [...weights.keys()], "the export has other names");
          assert.notDeepEqual(after, before);
          assert.notDeepEqual(trained, weights, "the adapter is not merged into the export");
          {
            await using _off = await engine.disableAdapter();
            assert.deepEqual(await logProb(engine), before);
            assertSame(await parametersOf(engine), weights);
          }
          assert.deepEqual(await logProb(engine), after);
        }),
    },
    {
      name: "nests scopes without the adapter, and neither trains nor saves in them",
      run: () =>
        withAdapter(async (engine) => {
          await train(engine, 2);
          const trained = await logProb(engine);
          const outer = await engine.disableAdapter();
          const inner = await engine.disableAdapter();
          await inner[Symbol.asyncDispose]();
          await inner[Symbol.asyncDispose]();
          assert.notDeepEqual(await logProb(engine), trained);
          for (const call of [() => train(engine, 1), () => engine.saveCheckpoint(os.tmpdir())]) {
            await assert.rejects(
              async () => call(),
              (error) => isVerlError(error),
            );
          }
          await outer[Symbol.asyncDispose]();
          assert.deepEqual(await logProb(engine), trained);
        }),
    },
    {
      name: "keeps adapters apart, each with moments of its own, and continues with them from a checkpoint",
      async run() {
        const dir = await mkdtemp(path.join(os.tmpdir(), "verl-adapters-"));
        try {
          const alone = await withAdapter(async (engine) => {
            await train(engine, 3);
            return parametersOf(engine);
          });
          const other = await withAdapter(async (engine) => {
            const { adapters } = engine;
            assert.ok(adapters, "the engine has no adapters");
            await adapters.add("other", { ...ADAPTER, rank: 1 });
            await train(engine, 2);
            await adapters.use("other");
            await train(engine, 1);
            const trained = await logProb(engine);
            await adapters.use("default");
            await train(engine, 1);
            assertSame(await parametersOf(engine), alone);
            await engine.saveCheckpoint(dir);
            return trained;
          });
          await withAdapter(async (engine) => {
            await engine.loadCheckpoint(dir);
            assertSame(await parametersOf(engine), alone);
            await engine.adapters?.use("other");
            assert.deepEqual(await logProb(engine), other);
          });
        } finally {
          await rm(dir, { recursive: true });
        }
      },
    },
  ];
}
