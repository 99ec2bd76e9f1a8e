import assert from "node:assert/strict";
import {
  type BatchOptions,
  composeEngine,
  type EngineBackend,
  type EngineOptions,
  type LossFunction,
} from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";
import {
  assertClose,
  assertSame,
  type EngineMaker,
  optimizerWith,
  parametersOf,
  probe,
  SAMPLE_LOSS,
  sampleBatch,
  withEngine,
} from "./engine-under-test.js";
import { localReplicas } from "./local-replicas.js";

/** What the suite asks for; the backend is made new each time, with the same weights. */
export type BackendMaker = (wanted: Pick<EngineOptions, "optimizer" | "topology">) => EngineBackend;

/**
 * What a backend must do to train in several processes: the gradients of its ranks add up to those of one, and all ranks
 * have the parameters of the first. The ranks are in this process.
 */
export function dataParallelConformance(make: BackendMaker): ConformanceCase[] {
  const batch = sampleBatch();
  const one = makeRanks(make, 1);
  return [
    ...[2, 3].map(
      (ranks): ConformanceCase => ({
        name: `gives the loss, metrics and gradients of one rank on ${ranks}`,
        async run() {
          const cases: [LossFunction, BatchOptions][] = [
            [SAMPLE_LOSS, {}],
            [SAMPLE_LOSS, { microBatchSize: 1 }],
            [SAMPLE_LOSS, { maxTokensPerMicroBatch: 12, backward: "twoPhase" }],
            [{ ...SAMPLE_LOSS, scope: "miniBatch", key: "conformance/wide" }, { microBatchSize: 2 }],
          ];
          for (const [loss, options] of cases) {
            const expected = await probe(one, batch, loss, options);
            const actual = await probe(makeRanks(make, ranks), batch, loss, options);
            assert.ok(
              Math.abs(actual.loss - expected.loss) <= 1e-5 * (1 + Math.abs(expected.loss)),
              "the loss differs",
            );
            assertClose(actual.gradients, expected.gradients, 1e-5);
            for (const [name, value] of Object.entries(expected.metrics)) {
              assert.ok(Math.abs(actual.metrics[name] - value) <= 1e-5 * (1 + Math.abs(value)), `${name} differs`);
            }
          }
        },
      }),
    ),
    {
      name: "trains on two ranks as on one, with outputs in the order of the batch",
      async run() {
        const train = (maker: EngineMaker) =>
          withEngine(maker, optimizerWith({ clipGrad: 0.1 }), async (engine) => {
            await using _mode = await engine.trainMode();
            const norms: number[] = [];
            for (let i = 0; i < 3; i++) norms.push((await engine.trainBatch(batch, SAMPLE_LOSS)).gradNorm);
            const { logProb } = await engine.inferBatch(batch, ["logProb"]);
            return { norms, logProb: logProb as Float32Array, parameters: await parametersOf(engine) };
          });
        const [expected, actual] = [await train(one), await train(makeRanks(make, 2))];
        assertClose(actual.parameters, expected.parameters, 1e-4);
        assertClose(new Map([["logProb", actual.logProb]]), new Map([["logProb", expected.logProb]]), 1e-4);
        expected.norms.forEach((norm, i) => {
          assert.ok(Math.abs(actual.norms[i] - norm) <= 1e-4 * norm, `norm ${actual.norms[i]} instead of ${norm}`);
        });
      },
    },
    {
      name: "counts every gradient once when the optimizer steps twice",
      async run() {
        const norms = (maker: EngineMaker) =>
          withEngine(maker, optimizerWith({ lr: 0 }), async (engine) => {
            await using _mode = await engine.trainMode();
            await engine.forwardBackwardBatch(batch, SAMPLE_LOSS);
            const first = await engine.optimizerStep();
            await engine.forwardBackwardBatch(batch, SAMPLE_LOSS);
            return [first.gradNorm, (await engine.optimizerStep()).gradNorm];
          });
        const [first, second] = await norms(makeRanks(make, 2));
        assert.ok(Math.abs(second - 2 * first) <= 1e-4 * first, `${second} is not twice ${first}`);
      },
    },
    {
      name: "makes the second rank's parameters those of the first",
      async run() {
        const ranks = [0, 1].map((rank) => makeRank(make, rank, 2));
        const engine = composeEngine(ranks[0], engineOptions(optimizerWith(), ranks));
        await engine.initialize();
        {
          await using _mode = await engine.trainMode();
          await engine.trainBatch(batch, SAMPLE_LOSS);
        }
        const [first, second] = await Promise.all(ranks.map(exported));
        assertSame(second, first);
        await engine.dispose();
      },
    },
  ];
}

/** Engines of so many ranks, for the other suites. */
export function makeRanks(make: BackendMaker, size: number): EngineMaker {
  return ({ optimizer }) => {
    const ranks = Array.from({ length: size }, (_, rank) => makeRank(make, rank, size, optimizer));
    return composeEngine(ranks[0], engineOptions(optimizer, ranks));
  };
}

function makeRank(make: BackendMaker, rank: number, size: number, optimizer = optimizerWith()): EngineBackend {
  return make({ optimizer, topology: { rank, size, isOutputSource: rank === 0 } });
}

function engineOptions(optimizer: EngineOptions["optimizer"], ranks: readonly EngineBackend[]) {
  const topology = { rank: 0, size: ranks.length, isOutputSource: true };
  return { optimizer, topology, ...(ranks.length > 1 ? { replicas: localReplicas(ranks.slice(1)) } : {}) };
}

async function exported(backend: EngineBackend): Promise<Map<string, Float32Array>> {
  const copies = new Map<string, Float32Array>();
  for await (const { name, data } of backend.parameters()) copies.set(name, Float32Array.from(data as Float32Array));
  return copies;
}
