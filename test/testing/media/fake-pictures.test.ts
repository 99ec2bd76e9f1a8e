import { expect } from "chai";
import {
  type GenerateRequest,
  MediaStore,
  type PlacedMedia,
  packSequences,
  RunMedia,
  type SequenceMedia,
} from "../../../core/plugin.js";
import {
  bigramModel,
  createFakeEngine,
  createFakeProcessor,
  createFakeReplica,
  createToyTokenizer,
  engineConformance,
  meanColour,
  mediaEngineConformance,
  mediaRolloutConformance,
  PICTURE_INPUT,
  pictureModel,
  processorConformance,
  type Rgb,
  runConformance,
  solidPng,
} from "../../../testing/index.js";

const framework = { describe, it };
const tokenizer = createToyTokenizer({ media: true });
const vocabSize = 12;
const RED: Rgb = [255, 0, 0];
const TEAL: Rgb = [0, 128, 128];

const media = new RunMedia({
  store: new MediaStore(),
  processor: createFakeProcessor(tokenizer),
  tokenizer,
  model: "the fake",
});

async function placed(colour: Rgb, offset: number): Promise<SequenceMedia> {
  const { messages } = await media.take([
    { role: "user", content: [{ type: "image", image: solidPng(16, 8, colour) }] },
  ]);
  const [{ content }] = messages as unknown as readonly { content: readonly { image: string }[] }[];
  const { tokens } = await media.take(messages);
  const { ref, ids } = tokens.find(content[0].image)!;
  return { ...ref, offset, length: ids.length, inputs: await media.inputs(ref) };
}

async function batchOf(colours: readonly (Rgb | null)[]) {
  const sequences = colours.map((_, b) => ({ promptIds: [1, 6, 6, 2 + b], responseIds: [3, 4, 5 + b] }));
  const own = await Promise.all(colours.map(async (colour) => (colour ? [await placed(colour, 1)] : [])));
  return { ...packSequences(sequences), media: own };
}

runConformance(
  "fake processor",
  processorConformance({
    make: () => createFakeProcessor(tokenizer),
    tokenizer,
    samples: [
      { kind: "image", bytes: solidPng(16, 8, RED) },
      { kind: "image", bytes: solidPng(9, 30, TEAL) },
    ],
  }),
  framework,
);

runConformance(
  "fake engine with pictures, without any",
  engineConformance(({ optimizer }) => createFakeEngine({ vocabSize, pictures: true, optimizer })),
  framework,
);

runConformance(
  "fake engine with pictures",
  mediaEngineConformance({
    make: ({ optimizer }) => createFakeEngine({ vocabSize, pictures: true, optimizer }),
    batch: await batchOf([RED, TEAL, null, RED]),
    other: await batchOf([TEAL, [9, 9, 200], null, [40, 50, 60]]),
  }),
  framework,
);

async function replicaWith(colours: readonly Rgb[]) {
  const engine = createFakeEngine({ vocabSize, pictures: true, seed: 4 });
  await engine.initialize();
  const replica = createFakeReplica({ vocabSize, pictures: true, media });
  await replica.launch();
  await replica.receiveWeights(engine.getPerTensorParam(), { version: 1 });
  const requests = await Promise.all(
    colours.map(async (colour, i): Promise<GenerateRequest> => {
      const { inputs: _, ...medium } = await placed(colour, 1);
      return {
        requestId: `r${i}`,
        promptIds: [1, 6, 6, 2],
        media: [medium satisfies PlacedMedia],
        seed: 1,
        sampling: { temperature: 0.7, topP: 1, topK: -1, logProbs: true },
      };
    }),
  );
  return { engine, replica, requests };
}

const COLOURS: readonly Rgb[] = [RED, TEAL, [10, 20, 30]];
runConformance(
  "fake replica with pictures",
  mediaRolloutConformance({
    requests: (await replicaWith(COLOURS)).requests,
    make: async () => (await replicaWith([])).replica,
  }),
  framework,
);

describe("the fake model that sees pictures", () => {
  it("gives in sampling what it gives in training", async () => {
    const { engine, replica, requests } = await replicaWith([TEAL]);
    const { tokenIds, logProbs = [] } = await replica.generate(requests[0]);
    const batch = packSequences([{ promptIds: [1, 6, 6, 2], responseIds: tokenIds }], { temperature: 0.7 });
    await using _mode = await engine.evalMode();
    const withPicture = { ...batch, media: [[await placed(TEAL, 1)]] };
    const { logProb = [] } = await engine.inferBatch(withPicture, ["logProb"]);
    logProbs.forEach((x, i) => {
      expect(x).to.be.closeTo(logProb[i], 1e-6);
    });
  });

  it("has the gradients that differences give", async () => {
    const model = pictureModel(4);
    const picture = { ...(await placed(TEAL, 0)), length: 1 };
    const batch = {
      ...packSequences([{ promptIds: [3, 1], responseIds: [2, 0] }], { temperature: 0.8 }),
      media: [[picture]],
    };
    const parameter = Float32Array.from({ length: 7 * 4 }, (_, i) => Math.sin(3 * i));
    const outputs = ["logProb", "entropy", "sumPiSquared"] as const;
    const weights = { logProb: [1, -2], entropy: [0.5, 3], sumPiSquared: [-1, 0.7] };
    const loss = (at: Float32Array) => {
      const found = model.forward(at, batch, outputs);
      return outputs.reduce((sum, name) => sum + weights[name].reduce((s, w, r) => s + w * found[name]![r], 0), 0);
    };
    const sum = new Float64Array(parameter.length);
    const gradients = Object.fromEntries(outputs.map((name) => [name, Float32Array.from(weights[name])]));
    model.backward(parameter, batch, gradients, sum);
    for (let i = 0; i < parameter.length; i++) {
      const [up, down] = [parameter.slice(), parameter.slice()];
      up[i] += 0.01;
      down[i] -= 0.01;
      expect(sum[i], `parameter ${i}`).to.be.closeTo((loss(up) - loss(down)) / (up[i] - down[i]), 2e-3);
    }
  });

  it("is the bigram model where there is no picture", () => {
    const batch = packSequences([{ promptIds: [3, 1], responseIds: [2, 0] }]);
    const table = Float32Array.from({ length: 7 * 4 }, (_, i) => Math.cos(i));
    const plain = bigramModel(4).forward(table.subarray(0, 16), batch, ["logProb"]);
    expect(pictureModel(4).forward(table, batch, ["logProb"])).to.deep.equal(plain);
  });

  it("sees the colour that was drawn", () => {
    const [red, green, blue] = meanColour(solidPng(5, 3, [255, 51, 0]));
    expect([red, green, blue]).to.deep.equal([1, 0.2, 0]);
    expect(PICTURE_INPUT).to.equal("mean_colour");
  });
});
