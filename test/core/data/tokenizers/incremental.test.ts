import { expect } from "chai";
import fc from "fast-check";
import type { DecodingStream } from "../../../../core/data/tokenizer/decoders/decoding-stream.js";
import { type DecodersFile, decoderPipeline, decodeWith, readVectors } from "./vector-files.js";

const file = readVectors<DecodersFile>("test/core/data/tokenizers/vectors", "decoders");
const someIds = fc.array(fc.nat(file.tokens.length - 1), { maxLength: 30 });

function pushAll(stream: DecodingStream, ids: readonly number[]): string[] {
  return ids.map((id) => stream.push(file.tokens[id]));
}

describe("decoding token by token", () => {
  for (const { name, decoder } of file.cases) {
    const pipeline = decoderPipeline(file, decoder);

    it(`${name}: what is certain never changes, and with what is pending it is the text so far`, () => {
      fc.assert(
        fc.property(someIds, (ids) => {
          const stream = pipeline.decodingStream();
          let certain = "";
          ids.forEach((id, i) => {
            certain += stream.push(file.tokens[id]);
            expect(certain + stream.pending()).to.equal(decodeWith(pipeline, ids.slice(0, i + 1), false));
          });
        }),
        { numRuns: 40 },
      );
    });

    it(`${name}: no text ends inside a character`, () => {
      fc.assert(
        fc.property(someIds, (ids) => {
          for (const text of pushAll(pipeline.decodingStream(), ids)) expect(text.isWellFormed()).to.equal(true);
        }),
        { numRuns: 40 },
      );
    });
  }

  const certainAfter = (name: string, tokens: readonly string[]) => {
    const decoder = file.cases.find((one) => one.name === name)?.decoder;
    return pushAll(
      decoderPipeline(file, decoder).decodingStream(),
      tokens.map((token) => file.tokens.indexOf(token)),
    );
  };

  it("gives bytes out with the one that completes a character", () => {
    expect(certainAfter("byte level", ["a", "ðŁ", "ĺ", "Ģ", "Ġof"])).to.deep.equal(["a", "", "", "😀", " of"]);
  });

  it("keeps a run of byte tokens until another token ends it", () => {
    expect(certainAfter("llama", ["▁the", "<0xE4>", "<0xBD>", "<0xA0>", "ab"])).to.deep.equal([
      "the",
      "",
      "",
      "",
      "你ab",
    ]);
  });

  it("gives tokens out at once where nothing later can change them", () => {
    expect(certainAfter("metaspace always", ["▁the", "▁the", "ab"])).to.deep.equal(["the", " the", "ab"]);
    expect(certainAfter("word piece", ["ab", "##b", "."])).to.deep.equal(["ab", "b", "."]);
  });
});
