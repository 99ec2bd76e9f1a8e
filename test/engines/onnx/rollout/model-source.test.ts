import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { writeHfFolder } from "../../../../core/formats/index.js";
import { onnxRolloutFactory, onnxServerAdapterFactory, rolloutMemory } from "../../../../engines/onnx/rollout/index.js";
import { randomWeights, request, streamOf, tiny, tinyConfig, withOnnxReplica } from "./tiny-model.js";

describe("onnx rollout: where models come from", () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), "verl-rollout-"));
  });
  after(() => rm(dir, { recursive: true }));

  it("serves the weights of a folder before any update, as version −1", async () => {
    const expected = await withOnnxReplica({}, (replica) => replica.generate(request("x")));
    await writeHfFolder(dir, { config: tiny, tensors: randomWeights(tiny, 1), tokenizerFiles: null, dtype: "f32" });
    await withOnnxReplica(
      { model: { path: dir } },
      async (replica) => {
        const output = await replica.generate(request("x"));
        expect(output.logProbs).to.deep.equal(expected.logProbs);
        expect([output.minWeightVersion, output.maxWeightVersion]).to.deep.equal([-1, -1]);
        await replica.receiveWeights(streamOf(randomWeights(tiny, 2)), { version: 0 });
        expect((await replica.generate(request("x"))).logProbs).not.to.deep.equal(expected.logProbs);
      },
      null,
    );
  });

  it("is made by its factories under the name onnx", async () => {
    const replica = await onnxRolloutFactory.createReplica(options());
    const adapter = await onnxServerAdapterFactory.createAdapter({ ...options(), replica });
    await replica.launch();
    await adapter.updateWeights(streamOf(randomWeights(tiny, 1)), { version: 4 });
    expect((await replica.generate(request("x"))).maxWeightVersion).to.equal(4);
    await replica.dispose();
    expect([onnxRolloutFactory.name, onnxServerAdapterFactory.name]).to.deep.equal(["onnx", "onnx"]);
  });

  it("refuses unknown options, and lengths that the model has no positions for", async () => {
    const unknown = () => withOnnxReplica({ extra: { no_such: 1 } }, async () => {});
    const long = () => withOnnxReplica({ maxModelLen: 513 }, async () => {});
    for (const attempt of [unknown, long]) {
      const error = await attempt().catch((e: Error) => e);
      expect(String(error)).to.match(/VERL_ROLLOUT_BAD_OPTION.*(no_such|513)/);
    }
  });

  it("states the memory that it needs", () => {
    const { kvCache, weights, logits } = rolloutMemory(tiny, { maxNumSeqs: 4, maxModelLen: 64 });
    expect(kvCache).to.equal(2 * 2 * 4 * 2 * 64 * 16 * 4);
    expect(logits).to.equal(4 * 61 * 4);
    expect(weights).to.equal(randomWeights(tiny, 1).reduce((sum, { data }) => sum + 8 * data.length, 0));
  });
});

function options() {
  return {
    replicaRank: 0,
    model: { config: tinyConfig },
    maxModelLen: 64,
    maxNumSeqs: 2,
    responseLength: 8,
    eosTokenIds: [],
    createDecoder: null,
    threads: 1,
    extra: {},
  };
}
