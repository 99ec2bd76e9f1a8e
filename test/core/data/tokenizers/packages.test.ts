import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { TokenizerPipeline } from "../../../../core/data/tokenizer/pipeline.js";
import { pipelineDifferences, type RealTokenizersFile, readVectors } from "./vector-files.js";

/** Whole tokenizers of models: byte fallback over SentencePiece's pieces, and a byte-level vocabulary of 152 000. */
describe("tokenizers that packages carry equal Python's", function () {
  this.timeout(60_000);
  const { texts, cases } = readVectors<RealTokenizersFile>("test/core/data/tokenizers/vectors", "packages");
  for (const one of cases) {
    it(`${one.folder} ${one.config ? "with its configuration" : "alone"}`, () => {
      const read = (name: string): unknown => JSON.parse(readFileSync(join(one.folder, name), "utf8"));
      const pipeline = new TokenizerPipeline(
        read("tokenizer.json"),
        one.config ? (read("tokenizer_config.json") as Record<string, unknown>) : {},
      );
      expect(pipelineDifferences(pipeline, texts, one)).to.deep.equal([]);
    });
  }
});
