import { expect } from "chai";
import {
  type DecodersFile,
  decoderDifferences,
  readVectors,
  SPELLED_FILES,
  type SpelledFile,
  spelledDifferences,
  TOKENIZER_FILES,
  type TokenizersFile,
  tokenizerDifferences,
} from "./vector-files.js";

const FOLDER = "test/core/data/tokenizers/vectors";

describe("tokenizers equal Python's", () => {
  for (const name of SPELLED_FILES) {
    describe(name, () => {
      const file = readVectors<SpelledFile>(FOLDER, name);
      for (const one of file.cases) {
        it(one.name, () => expect(spelledDifferences(file, one.steps, one.spelled)).to.deep.equal([]));
      }
    });
  }

  for (const name of TOKENIZER_FILES) {
    describe(name, () => {
      const file = readVectors<TokenizersFile>(FOLDER, name);
      for (const one of file.cases) it(one.name, () => expect(tokenizerDifferences(file, one)).to.deep.equal([]));
    });
  }

  describe("decoders", () => {
    const file = readVectors<DecodersFile>(FOLDER, "decoders");
    for (const one of file.cases) it(one.name, () => expect(decoderDifferences(file, one)).to.deep.equal([]));
  });
});
