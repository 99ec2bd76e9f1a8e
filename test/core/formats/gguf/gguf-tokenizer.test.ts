import { expect } from "chai";
import { TokenizerPipeline } from "../../../../core/data/tokenizer/pipeline.js";
import { ggufTokenizerFiles } from "../../../../core/formats/gguf/gguf-tokenizer.js";
import type { GgufValue } from "../../../../core/formats/gguf/header.js";
import { PRE_TOKENIZERS } from "../../../../core/formats/gguf/pre-tokenizers.js";
import { readSentencePieceModel } from "../../../../core/formats/sentencepiece/model-file.js";
import { PIECE } from "../../../../core/formats/sentencepiece/vocabulary.js";
import { readVectors, type TokenizersFile, wholeJson } from "../../data/tokenizers/vector-files.js";
import type { ModelsFile } from "../sentencepiece/model-files.js";

const models = readVectors<ModelsFile>("test/core/formats/sentencepiece", "models");

function pipelineOf(model: string, metadata: Record<string, GgufValue>): TokenizerPipeline {
  const keys = Object.entries({ model, ...metadata }).map(([key, value]) => [`tokenizer.ggml.${key}`, value] as const);
  const files = ggufTokenizerFiles(new Map(keys), "model.gguf");
  return new TokenizerPipeline(files?.tokenizerJson, files?.tokenizerConfig);
}

/** The metadata that a converter writes for a SentencePiece model. */
function sentencePieceMetadata(name: string): Record<string, GgufValue> {
  const bytes = Buffer.from(models.cases.find((one) => one.name === name)?.model as string, "base64");
  const { vocabulary } = readSentencePieceModel(bytes, name);
  return {
    tokens: vocabulary.pieces.map(({ text, kind }) =>
      kind === PIECE.userDefined ? text.replaceAll("\u2581", " ") : text,
    ),
    scores: vocabulary.pieces.map(({ score }) => score),
    token_type: vocabulary.pieces.map(({ kind }) => kind),
    unknown_token_id: vocabulary.unknownId,
    bos_token_id: 1,
    eos_token_id: 2,
    add_space_prefix: vocabulary.addDummyPrefix,
    remove_extra_whitespaces: vocabulary.removeExtraWhitespace,
    ...(vocabulary.characterMap ? { precompiled_charsmap: [...vocabulary.characterMap] } : {}),
  };
}

describe("tokenizers of GGUF files", () => {
  for (const [kind, name] of [
    ["llama", "bpe llama"],
    ["llama", "bpe user pieces"],
    ["llama", "bpe no prefix"],
    ["t5", "unigram with a character map"],
    ["t5", "unigram bytes"],
  ] as const) {
    it(`of kind ${kind} encode as the SentencePiece model: ${name}`, () => {
      const pipeline = pipelineOf(kind, sentencePieceMetadata(name));
      const expected = models.cases.find((one) => one.name === name)?.ids;
      expect(models.texts.map((text) => pipeline.encode(text, false))).to.deep.equal(expected);
    });
  }

  it("begin a text in the kind llama and end it in the kind t5, unless the file says otherwise", () => {
    const llama = sentencePieceMetadata("bpe llama");
    const plain = pipelineOf("llama", llama).encode("the", false);
    expect(pipelineOf("llama", llama).encode("the", true)).to.deep.equal([1, ...plain]);
    expect(pipelineOf("llama", { ...llama, add_bos_token: false }).encode("the", true)).to.deep.equal(plain);
    const t5 = sentencePieceMetadata("unigram identity");
    expect(pipelineOf("t5", t5).encode("the", true)).to.deep.equal([...pipelineOf("t5", t5).encode("the", false), 2]);
  });

  it("of kind bert encode as BERT", () => {
    const file = readVectors<TokenizersFile>("test/core/data/tokenizers/vectors", "words");
    const bert = file.cases.find(({ name }) => name === "bert uncased")!;
    const vocab = wholeJson(file, bert).model?.vocab as Record<string, number>;
    const tokens = Object.keys(vocab).sort((a, b) => vocab[a] - vocab[b]);
    const special = (token: string) => /^\[.*\]$/.test(token);
    const pipeline = pipelineOf("bert", {
      tokens: tokens.map((token) => {
        if (special(token)) return token;
        return token.startsWith("##") ? token.slice(2) : `\u2581${token}`;
      }),
      token_type: tokens.map((token) => (special(token) ? PIECE.control : PIECE.normal)),
      unknown_token_id: 1,
      cls_token_id: 2,
      seperator_token_id: 3,
    });
    expect(file.texts.map((text) => pipeline.encode(text, true))).to.deep.equal(bert.framed);
  });

  for (const [name, recipe] of PRE_TOKENIZERS) {
    it(`split words by the recipe ${name} without losing text`, () => {
      const bytes = Array.from({ length: 256 }, (_, byte) => {
        const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
        return printable ? String.fromCharCode(byte) : null;
      });
      let shifted = 0x100;
      const tokens = bytes.map((character) => character ?? String.fromCharCode(shifted++));
      const pipeline = pipelineOf("gpt2", { pre: name, tokens, token_type: tokens.map(() => 1), merges: [] });
      const text = "It's 12345 Größe, 你好 世界!\r\n\n  \tdef f(x):  # x²\n";
      const ids = pipeline.encode(recipe.normalizer ? text.normalize("NFC") : text, false);
      expect(Buffer.from(ids).toString()).to.equal(text);
    });
  }
});
