import { expect } from "chai";
import { parseModelConfig } from "../../../../core/formats/index.js";
import { chooseVariant } from "../../../../engines/onnx/backend/variant.js";
import { tinyOptions } from "./fixtures.js";

describe("engines/onnx choice of a graph", () => {
  const { model } = tinyOptions({ vocabSize: 1000 });
  const config = parseModelConfig("config" in model ? model.config : {});
  const shape = { sequences: 4, longest: 32, tokens: 128, responseTokens: 100 };
  /** For so many arrays of [rows, vocabulary]. */
  const chunking = (arrays: number, changed: Partial<typeof config> = {}) => {
    const options = {
      logitsBytes: arrays * 100 * 1000 * 4,
      packAbovePadding: 0.15,
      attentionBytes: 1e9,
      plainNorms: false,
    };
    const { chunks, keepsLogits } = chooseVariant({ ...config, ...changed }, shape, options);
    return [chunks, keepsLogits];
  };

  it("takes the head in one piece where four arrays of logits fit", () => {
    expect(chunking(4)).to.deep.equal([1, true]);
  });

  it("keeps the logits of chunks where one array fits beside what a chunk needs", () => {
    expect(chunking(3.9)).to.deep.equal([2, true]);
    expect(chunking(1.4)).to.deep.equal([8, true]);
    expect(chunking(2.6, { logitSoftcap: 30 })).to.deep.equal([4, true]);
  });

  it("computes logits again where not even that fits, in chunks that fit", () => {
    expect(chunking(1.3)).to.deep.equal([4, false]);
    expect(chunking(0.5)).to.deep.equal([8, false]);
  });

  it("makes no chunk smaller than a row", () => {
    expect(chunking(0)).to.deep.equal([64, false]);
  });

  it("packs rows where much would be padding", () => {
    const layout = (tokens: number) =>
      chooseVariant(
        config,
        { ...shape, tokens },
        { logitsBytes: 1e9, packAbovePadding: 0.15, attentionBytes: 1e9, plainNorms: false },
      ).layout;
    expect([layout(128), layout(100)]).to.deep.equal(["padded", "packed"]);
  });
});
