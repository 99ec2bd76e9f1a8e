import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { loadTokenizer } from "../../../../core/data/index.js";
import { readSentencePieceModel } from "../../../../core/formats/sentencepiece/model-file.js";
import { isVerlError } from "../../../../core/host/errors.js";
import { readVectors } from "../../data/tokenizers/vector-files.js";
import { errorOf } from "../support.js";
import { type ModelsFile, modelDifferences } from "./model-files.js";

const file = readVectors<ModelsFile>("test/core/formats/sentencepiece", "models");
const modelOf = (name: string) => Buffer.from(file.cases.find((one) => one.name === name)?.model as string, "base64");

describe("SentencePiece models", () => {
  for (const one of file.cases) {
    it(`become the tokenizer that transformers makes of them: ${one.name}`, () => {
      expect(modelDifferences(Buffer.from(one.model, "base64"), file.texts, one)).to.deep.equal([]);
    });
  }

  it("that are damaged give a coded error", () => {
    const whole = modelOf("bpe user pieces");
    const damage = fc.tuple(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length));
    fc.assert(
      fc.property(damage, ([at, byte, length]) => {
        const bytes = Buffer.from(whole);
        bytes[at] = byte;
        try {
          readSentencePieceModel(bytes.subarray(0, length), "tokenizer.model");
        } catch (error) {
          expect(isVerlError(error) && error.code).to.equal("VERL_FORMATS_TOKENIZER_UNSUPPORTED");
        }
      }),
    );
  });
});

describe("folders with a SentencePiece model alone", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "verl-sentencepiece-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("load with the tokens that the model names", async () => {
    await writeFile(join(folder, "tokenizer.model"), modelOf("bpe user pieces"));
    const tokenizer = await loadTokenizer(folder);
    expect(tokenizer).to.include({ bosTokenId: 1, eosTokenId: 2, padTokenId: 3 });
    expect(tokenizer.decode(tokenizer.encode("the <tool> abab"))).to.equal("the <tool> abab");
  });

  it("begin texts with a token where the class does", async () => {
    await writeFile(join(folder, "tokenizer.model"), modelOf("bpe llama"));
    await writeFile(join(folder, "tokenizer_config.json"), '{"tokenizer_class":"LlamaTokenizer","add_eos_token":true}');
    const tokenizer = await loadTokenizer(folder);
    const plain = tokenizer.encode("the", { addSpecialTokens: false });
    expect(tokenizer.encode("the")).to.deep.equal([1, ...plain, 2]);
  });

  for (const { name, config, framed } of file.configured) {
    it(`follow tokenizer_config.json as transformers does: ${name}`, async () => {
      await writeFile(join(folder, "tokenizer.model"), modelOf("bpe llama"));
      await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify(config));
      const tokenizer = await loadTokenizer(folder);
      expect(file.framedTexts.map((text) => tokenizer.encode(text))).to.deep.equal(framed);
    });
  }

  it("are refused with a way out when their class numbers the pieces anew", async () => {
    await writeFile(join(folder, "spiece.model"), modelOf("unigram identity"));
    const error = await errorOf(() => loadTokenizer(folder));
    expect(error.code).to.equal("VERL_FORMATS_TOKENIZER_UNSUPPORTED");
    expect(error.message).to.include("spiece.model").and.include("save_pretrained");
  });

  it("are refused when the model is of another kind", async () => {
    await writeFile(join(folder, "tokenizer.model"), "IQ== 0\nIg== 1\n");
    const error = await errorOf(() => loadTokenizer(folder));
    expect(error.code).to.equal("VERL_FORMATS_TOKENIZER_UNSUPPORTED");
    expect(error.message).to.include("no SentencePiece model").and.include("save_pretrained");
  });
});
