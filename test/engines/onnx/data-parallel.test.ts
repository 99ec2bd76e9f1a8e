import { expect } from "chai";
import { composeEngine, type LossFunction } from "../../../core/plugin.js";
import { createOnnxBackend } from "../../../engines/onnx/index.js";
import {
  type BackendMaker,
  dataParallelConformance,
  engineConformance,
  localReplicas,
  makeRanks,
  runConformance,
} from "../../../testing/index.js";
import { LOSS_CASES } from "../../core/algorithms/loss-cases.js";
import { gradientsOf, optimizer, tinyOptions, worstRelativeError } from "./backend/fixtures.js";
import { lossBatch } from "./backend/loss-batch.js";

/** Losses of every scope: tokens, rows, pairs and the whole mini-batch. */
const LOSSES = ["actor", "gspo", "dpo", "clip-cov", "geo-mean"].map((file) => LOSS_CASES[file][0] as LossFunction);

const backend: BackendMaker = ({ optimizer, topology }) =>
  createOnnxBackend({ ...tinyOptions({ tied: true }), optimizer, topology });

runConformance("engines/onnx backend", dataParallelConformance(backend), { describe, it });
runConformance("engines/onnx engine of two ranks", engineConformance(makeRanks(backend, 2)), { describe, it });

describe("engines/onnx data parallelism", () => {
  const batch = lossBatch();

  /** Gradients, loss and metrics of an engine of so many ranks, by loss. */
  async function results(size: number) {
    const ranks = Array.from({ length: size }, (_, rank) =>
      backend({ optimizer: { ...optimizer, lr: 0 }, topology: { rank, size, isOutputSource: rank === 0 } }),
    );
    const engine = composeEngine(ranks[0], {
      optimizer: { ...optimizer, lr: 0 },
      topology: { rank: 0, size, isOutputSource: true },
      ...(size > 1 ? { replicas: localReplicas(ranks.slice(1)) } : {}),
    });
    await engine.initialize();
    const found = [];
    for (const loss of LOSSES) {
      await using _mode = await engine.trainMode();
      const { loss: value, metrics } = await engine.forwardBackwardBatch(batch, loss, { microBatchSize: 2 });
      await engine.optimizerStep();
      found.push({ key: loss.key, value, metrics, gradients: await gradientsOf(ranks[0]) });
    }
    await engine.dispose();
    return found;
  }

  it("gives one rank's gradients within 1e-5 of each tensor, its loss and its metrics, for losses of every scope", async () => {
    const [one, two] = [await results(1), await results(2)];
    one.forEach((expected, i) => {
      const { gradients, value, metrics } = two[i];
      expect(worstRelativeError(gradients, expected.gradients), expected.key).to.be.below(1e-5);
      expect(value, expected.key).to.be.closeTo(expected.value, 1e-5 * (1 + Math.abs(expected.value)));
      for (const [name, metric] of Object.entries(expected.metrics)) {
        expect(metrics[name], name).to.include({ reduction: metric.reduction, weight: metric.weight });
        expect(metrics[name].value, name).to.be.closeTo(metric.value, 1e-5 * (1 + Math.abs(metric.value)));
      }
    });
  });
});
