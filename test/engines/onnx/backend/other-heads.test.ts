import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { BUILTINS } from "../../../../cli/builtins.js";
import { type OpaqueLoss, rewardModelLoss, valueLoss } from "../../../../core/algorithms/index.js";
import { lineLogger } from "../../../../core/host/index.js";
import { createHost } from "../../../../core/index.js";
import {
  type BaseEngine,
  type Column,
  type EngineModelType,
  type EngineOptions,
  isVerlError,
  type LossFunction,
  packSequences,
  type SequenceBatch,
} from "../../../../core/plugin.js";
import { createOnnxEngine } from "../../../../engines/onnx/index.js";
import { type TinyOptions, tinyOptions } from "./fixtures.js";

const LENGTHS = [
  [2, 3],
  [1, 5],
  [4, 0],
  [3, 1],
];

function batch(): SequenceBatch {
  let n = 0;
  const ids = (count: number) => Array.from({ length: count }, () => (n++ * 7 + 3) % 11);
  const sequences = LENGTHS.map(([prompt, response]) => ({ promptIds: ids(prompt), responseIds: ids(response) }));
  const total = LENGTHS.reduce((sum, [, response]) => sum + response, 0);
  const column = (extent: Column["extent"], f: (i: number) => number): Column => ({
    extent,
    data: Float32Array.from({ length: extent === "token" ? total : LENGTHS.length }, (_, i) => f(i)),
  });
  return packSequences(sequences, {
    columns: [
      ["returns", column("token", (i) => Math.cos(2 * i))],
      ["oldValues", column("token", (i) => 0.2 * Math.sin(3 * i))],
      ["chosen", column("sequence", (b) => (b % 4 === 0 || b % 4 === 3 ? 1 : 0))],
    ],
  });
}

const values = valueLoss({ clipRange: 0.2, lossAggMode: "token-mean" });
const preference = rewardModelLoss({ margin: 0.1, centerCoefficient: 0.01 });

async function withEngine<T>(
  options: Partial<EngineOptions> & { readonly tiny?: TinyOptions },
  body: (engine: BaseEngine) => Promise<T>,
): Promise<T> {
  const { tiny, ...changes } = options;
  const engine = createOnnxEngine({ ...tinyOptions(tiny), ...changes });
  try {
    await engine.initialize();
    return await body(engine);
  } finally {
    await engine.dispose();
  }
}

async function parametersOf(engine: BaseEngine): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  for await (const { name, data } of engine.getPerTensorParam()) found.set(name, Array.from(data as Float32Array));
  return found;
}

/** Loss and weights after one update. */
async function afterOneStep(
  modelType: EngineModelType,
  loss: LossFunction,
  backward: "auto" | "twoPhase",
  microBatchSize: number,
  tiny: TinyOptions,
) {
  return withEngine({ modelType, tiny }, async (engine) => {
    await using _mode = await engine.trainMode();
    const result = await engine.trainBatch(batch(), loss, { backward, microBatchSize });
    return { result, parameters: await parametersOf(engine) };
  });
}

describe("engines/onnx critics and reward models", () => {
  for (const [modelType, loss] of [
    ["value_model", values],
    ["reward_model", preference],
  ] as const) {
    for (const [layout, packAbovePadding] of [
      ["padded", 1],
      ["packed", 0],
    ] as const) {
      it(`${modelType}: fused and in two phases, whole and in parts, the same update, ${layout} rows`, async () => {
        const tiny = { tied: true, kwargs: { packAbovePadding } };
        const fused = await afterOneStep(modelType, loss, "auto", 4, tiny);
        for (const [backward, size] of [
          ["twoPhase", 4],
          ["auto", 2],
        ] as const) {
          const other = await afterOneStep(modelType, loss, backward, size, tiny);
          expect(other.result.loss).to.be.closeTo(fused.result.loss, 1e-6);
          expect(other.result.gradNorm).to.be.closeTo(fused.result.gradNorm, 1e-5 * fused.result.gradNorm);
          for (const [name, metric] of Object.entries(fused.result.metrics)) {
            expect(other.result.metrics[name].value, name).to.be.closeTo(metric.value, 1e-6);
          }
        }
      });
    }

    it(`${modelType}: learns`, () =>
      withEngine({ modelType }, async (engine) => {
        await using _mode = await engine.trainMode();
        const losses: number[] = [];
        for (let step = 0; step < 30; step++) losses.push((await engine.trainBatch(batch(), loss)).loss);
        expect(losses.at(-1)).to.be.below(0.9 * losses[0]);
      }));
  }

  it("gives a score to every sequence, also to one that is all prompt, whatever it is batched with", () =>
    withEngine({ modelType: "reward_model" }, async (engine) => {
      await using _mode = await engine.evalMode();
      const { scores } = await engine.inferBatch(batch(), ["scores"], { microBatchSize: 3 });
      expect(scores).to.have.length(4);
      const alone = await engine.inferBatch(packSequences([{ promptIds: [8, 4, 0, 7], responseIds: [] }]), ["scores"]);
      const all = packSequences(LENGTHS.map(() => ({ promptIds: [8, 4, 0, 7], responseIds: [] })));
      const together = await engine.inferBatch(all, ["scores"]);
      together.scores?.forEach((score) => {
        expect(score).to.be.closeTo(alone.scores?.[0] as number, 1e-6);
      });
    }));

  it("trains several labels by a loss over plain arrays", () => {
    const { model } = tinyOptions();
    const config = { ...("config" in model ? model.config : {}), id2label: { 0: "a", 1: "b", 2: "c" } };
    const squares: OpaqueLoss = {
      kind: "opaque",
      name: "squares",
      scope: "sequence",
      outputs: ["scores"],
      compute({ outputs }) {
        const scores = Float32Array.from(outputs.scores ?? []);
        return {
          loss: scores.reduce((sum, x, i) => sum + (x - i) ** 2, 0),
          metrics: {},
          gradients: { scores: scores.map((x, i) => 2 * (x - i)) },
        };
      },
    };
    return withEngine({ modelType: "reward_model", model: { config, initSeed: 3 } }, async (engine) => {
      await using _mode = await engine.trainMode();
      const { outputs } = await engine.forwardBackwardBatch(batch(), squares, { returnOutputs: true });
      expect(outputs.scores).to.have.length(12);
      const first = (await engine.trainBatch(batch(), squares)).loss;
      for (let step = 0; step < 20; step++) await engine.trainBatch(batch(), squares);
      expect((await engine.trainBatch(batch(), squares)).loss).to.be.below(first);
      const refused = await engine.trainBatch(batch(), preference).catch((e) => e);
      expect(isVerlError(refused) && refused.code).to.equal("VERL_ALGORITHMS_SHAPE");
    });
  });

  it("is what the host makes when it is asked for a critic", async () => {
    const host = await createHost({ env: {}, builtins: BUILTINS, logger: lineLogger(() => {}) });
    try {
      const { createEngine } = await host.services({ device: "cpu" });
      for (const [modelType, output] of [
        ["language_model", "logProb"],
        ["value_model", "values"],
        ["reward_model", "scores"],
      ] as const) {
        const engine = await createEngine(modelType, "onnx", tinyOptions());
        expect(engine.capabilities.outputs[0]).to.equal(output);
      }
    } finally {
      await host.dispose();
    }
  });

  it("computes what its head is for, and nothing else", () =>
    withEngine({ modelType: "value_model" }, async (engine) => {
      expect(engine.capabilities.outputs).to.deep.equal(["values"]);
      await using _mode = await engine.evalMode();
      const refused = await engine.inferBatch(batch(), ["logProb"]).catch((e) => e);
      expect(isVerlError(refused) && refused.code).to.equal("VERL_ENGINE_OUTPUT_UNSUPPORTED");
    }));
});

describe("engines/onnx heads on a language model's weights", () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), "verl-heads-"));
    await withEngine({ tiny: { tied: true } }, (engine) => engine.saveCheckpoint(dir, { contents: ["hf_model"] }));
  });
  after(() => rm(dir, { recursive: true }));

  const model = () => ({ path: join(dir, "huggingface") });

  it("begins with a new head: small and by the seed, or 0", async () => {
    const headOf = (changes: Partial<EngineOptions>) =>
      withEngine({ modelType: "value_model", model: model(), ...changes }, async (engine) => {
        const parameters = await parametersOf(engine);
        expect(parameters.get("score.bias")).to.deep.equal([0]);
        return parameters.get("score.weight") as number[];
      });
    const head = await headOf({ seed: 4 });
    expect(Math.max(...head.map(Math.abs))).to.be.within(0.001, 0.1);
    expect(await headOf({ seed: 4 })).to.deep.equal(head);
    expect(await headOf({ seed: 5 })).not.to.deep.equal(head);
    expect(await headOf({ extra: { newHead: "zero" } })).to.deep.equal(Array(8).fill(0));
  });

  for (const [modelType, className, output] of [
    ["value_model", "LlamaForTokenClassification", "values"],
    ["reward_model", "LlamaForSequenceClassification", "scores"],
  ] as const) {
    it(`exports a ${modelType} that is read back, also without an optimizer`, async () => {
      const exported = join(dir, modelType);
      const expected = await withEngine({ modelType, model: model() }, async (engine) => {
        await engine.saveCheckpoint(exported, { contents: ["hf_model"] });
        await using _mode = await engine.evalMode();
        return engine.inferBatch(batch(), [output]);
      });
      const folder = join(exported, "huggingface");
      const config = JSON.parse(await readFile(join(folder, "config.json"), "utf8"));
      expect(config).to.deep.include({ architectures: [className], id2label: { 0: "LABEL_0" } });
      const actual = await withEngine({ modelType, model: { path: folder }, optimizer: null }, async (engine) => {
        await using _mode = await engine.evalMode();
        return engine.inferBatch(batch(), [output]);
      });
      expect(actual).to.deep.equal(expected);
    });
  }

  it("does not score with a head that nobody trained", async () => {
    const attempt = withEngine({ modelType: "reward_model", model: model(), optimizer: null }, async () => "scored");
    const error = await attempt.catch((e) => e);
    expect(isVerlError(error) && error.code).to.equal("VERL_ONNX_NO_HEAD");
    expect(String(error)).to.include("score.weight");
  });
});
