import { expect } from "chai";
import { composeEngine } from "../../../../core/plugin.js";
import { createOnnxBackend } from "../../../../engines/onnx/index.js";
import { parametersOf, SAMPLE_LOSS, sampleBatch } from "../../../../testing/engine/engine-under-test.js";
import {
  type BackendMaker,
  dataParallelConformance,
  engineConformance,
  localReplicas,
  makeRanks,
  runConformance,
} from "../../../../testing/index.js";
import { optimizer, tinyOptions, weightsOf } from "../backend/fixtures.js";
import { ADAPTER, withoutWeightGradients } from "./adapter-engine.js";

const backend: BackendMaker = ({ optimizer, topology }) =>
  createOnnxBackend({ ...tinyOptions({ tied: true }), optimizer, topology, adapter: ADAPTER });

runConformance("engines/onnx backend with an adapter", dataParallelConformance(backend), { describe, it });
runConformance(
  "engines/onnx engine of two ranks with an adapter",
  withoutWeightGradients(engineConformance(makeRanks(backend, 2))),
  { describe, it },
);

describe("engines/onnx adapters on two ranks", () => {
  const config = { ...optimizer, emaDecay: 0.5 };

  async function twoRanks() {
    const ranks = [0, 1].map((rank) =>
      backend({ optimizer: config, topology: { rank, size: 2, isOutputSource: rank === 0 } }),
    );
    const engine = composeEngine(ranks[0], {
      optimizer: config,
      topology: { rank: 0, size: 2, isOutputSource: true },
      replicas: localReplicas(ranks.slice(1)),
    });
    await engine.initialize();
    const train = async () => {
      await using _mode = await engine.trainMode();
      await engine.trainBatch(sampleBatch(), SAMPLE_LOSS);
    };
    const weights = () => Promise.all(ranks.map((rank) => weightsOf(rank)));
    return { engine, train, weights };
  }

  it("are off, averaged, added and used on both", async () => {
    const { engine, train, weights } = await twoRanks();
    const [base] = await weights();
    await train();
    await train();
    const [trained, other] = await weights();
    expect(other).to.deep.equal(trained);
    {
      await using _off = await engine.disableAdapter();
      expect(await weights()).to.deep.equal([base, base]);
    }
    {
      await using _average = (await engine.averagedWeights!())!;
      const [average, second] = await weights();
      expect(second).to.deep.equal(average);
      expect(average).to.not.deep.equal(trained);
    }
    expect(await weights()).to.deep.equal([trained, trained]);
    await engine.adapters!.add("second", { ...ADAPTER, rank: 1 });
    await engine.adapters!.use("second");
    expect(await weights()).to.deep.equal([base, base]);
    await train();
    const [first, second] = await weights();
    expect(second).to.deep.equal(first);
    await engine.adapters!.use("default");
    await engine.adapters!.remove("second");
    expect(await parametersOf(engine)).to.have.all.keys(...trained.keys());
    expect(await weights()).to.deep.equal([trained, trained]);
    await engine.dispose();
  });
});
