import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { charTokenizerFiles } from "../../../core/data/char-tokenizer.js";
import { loadTokenizer } from "../../../core/data/load-tokenizer.js";
import type { Tokenizer } from "../../../core/data/tokenizer.js";
import { ggufTokenizerFiles } from "../../../core/formats/gguf/gguf-tokenizer.js";
import type { GgufValue } from "../../../core/formats/gguf/header.js";
import type { TokenizerFiles } from "../../../core/formats/index.js";
import { ggufBytes, texts } from "../formats/gguf/gguf-bytes.js";
import { tinyGgufTensors, tinyMetadata } from "../formats/gguf/tiny-gguf.js";
import { errorOf, withFolder } from "../formats/support.js";

/** Made by test/peers/tokenizer_goldens.py with Python's `tokenizers`. */
const goldens = JSON.parse(readFileSync("test/fixtures/data/tokenizer-goldens.json", "utf8")) as {
  tokens: string[];
  merges: string[];
  texts: string[];
  ids: Record<string, number[][]>;
  decoded: { ids: number[]; text: string; plain: string }[];
};

function filesOf(pre: string, extra: Record<string, GgufValue> = {}): TokenizerFiles {
  const metadata = {
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": pre,
    "tokenizer.ggml.tokens": goldens.tokens,
    "tokenizer.ggml.token_type": goldens.tokens.map((_, id) => (id < 3 ? 3 : 1)),
    "tokenizer.ggml.merges": goldens.merges,
    "tokenizer.ggml.bos_token_id": 1,
    "tokenizer.ggml.eos_token_id": 2,
    "tokenizer.ggml.add_bos_token": false,
    ...extra,
  };
  return ggufTokenizerFiles(new Map(Object.entries(metadata)), "model.gguf") as TokenizerFiles;
}

describe("byte-level tokenizers", () => {
  it("of a GGUF file is blamed by the file, not by files that it has not", () =>
    withFolder(async (folder) => {
      const file = path.join(folder, "model.gguf");
      const metadata = tinyMetadata({ "tokenizer.ggml.merges": texts(["a zz"]) });
      await writeFile(file, ggufBytes(metadata, tinyGgufTensors()));
      const error = await errorOf(() => loadTokenizer(file));
      expect(error.code).to.equal("VERL_DATA_TOKENIZER_INVALID");
      expect(error.what).to.include(`the tokenizer of ${file}`);
      expect(`${error.what} ${error.fix}`).to.not.match(/tokenizer(_config)?\.json/);
    }));

  let smollm: Tokenizer;
  before(async () => {
    smollm = await loadTokenizer(filesOf("smollm"));
  });

  for (const [pre, expected] of Object.entries(goldens.ids)) {
    it(`encode as Python's tokenizers with the recipe ${pre}`, async () => {
      const tokenizer = await loadTokenizer(filesOf(pre));
      goldens.texts.forEach((text, i) => {
        expect(tokenizer.encode(text, { addSpecialTokens: false }), JSON.stringify(text)).to.deep.equal(expected[i]);
      });
    });
  }

  it("decode any ids as Python does, replacing broken UTF-8", () => {
    for (const { ids, text, plain } of goldens.decoded) {
      expect(smollm.decode(ids)).to.equal(text);
      expect(smollm.decode(ids, { skipSpecialTokens: true })).to.equal(plain);
    }
    expect(smollm.decode([])).to.equal("");
    expect(smollm.decode([99999])).to.equal("");
  });

  it("give every well-formed text back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(smollm.decode(smollm.encode(text, { addSpecialTokens: false }))).to.equal(text);
      }),
    );
  });

  it("know their special tokens", async () => {
    expect(smollm).to.include({ vocabSize: goldens.tokens.length, bosTokenId: 1, eosTokenId: 2, padTokenId: 2 });
    expect(smollm.stopTokenIds).to.deep.equal([2]);
    expect([smollm.tokenId("<|im_end|>"), smollm.tokenId("nothing"), smollm.tokenText(2)]).to.deep.equal([
      2,
      null,
      "<|im_end|>",
    ]);
    const files = filesOf("smollm", { "tokenizer.ggml.padding_token_id": 0, "tokenizer.ggml.eot_token_id": 0 });
    const other = await loadTokenizer(files);
    expect(other.padTokenId).to.equal(0);
    expect(other.stopTokenIds).to.deep.equal([2, 0]);
  });

  it("add a beginning-of-sequence token when the file asks for it, except for rendered chats", async () => {
    const files = filesOf("smollm", { "tokenizer.ggml.add_bos_token": true });
    const tokenizer = await loadTokenizer(files, { chatTemplate: "{{ messages[0].content }}" });
    expect(tokenizer.encode("")).to.deep.equal([1]);
    expect(tokenizer.encode("ab")).to.deep.equal([1, ...tokenizer.encode("ab", { addSpecialTokens: false })]);
    expect(tokenizer.encodeChat([{ role: "user", content: "ab" }])).to.deep.equal(
      tokenizer.encode("ab", { addSpecialTokens: false }),
    );
  });
});

describe("tokenizer files", () => {
  const files = filesOf("smollm");

  it("may name tokens only in tokenizer_config.json", async () => {
    const added = { [goldens.tokens.length]: { content: "<tool call>", special: false } };
    const config = { ...files.tokenizerConfig, added_tokens_decoder: added, pad_token: { content: "<tool call>" } };
    const tokenizer = await loadTokenizer({ ...files, tokenizerConfig: config });
    expect(tokenizer.padTokenId).to.equal(goldens.tokens.length);
    expect(tokenizer.encode("a<tool call>é")).to.include(goldens.tokens.length);
    expect(tokenizer.decode(tokenizer.encode("a<tool call>é"))).to.equal("a<tool call>é");
  });

  it("are refused when they name a special token that does not exist", async () => {
    const config = { ...files.tokenizerConfig, eos_token: "</s>" };
    const error = await errorOf(() => loadTokenizer({ ...files, tokenizerConfig: config }));
    expect(error.code).to.equal("VERL_DATA_TOKENIZER_INVALID");
    expect(error.message).to.include('eos_token is "</s>"');
  });

  it("are refused when they use a step that is not known", async () => {
    const unknown = { ...files.tokenizerJson, pre_tokenizer: { type: "Sorcery" } };
    const error = await errorOf(() => loadTokenizer({ ...files, tokenizerJson: unknown }));
    expect(error.code).to.equal("VERL_DATA_TOKENIZER_INVALID");
    expect(error.message).to.include("Sorcery");
  });
});

describe("character tokenizers", () => {
  const alphabet = "0123456789+-= \n";
  const make = () =>
    loadTokenizer(charTokenizerFiles(alphabet, { pad: "<pad>", eos: "<eos>", chatTemplate: "{{ 1 }}" }));

  it("have one token a character and give every text back", async () => {
    const tokenizer = await make();
    expect(tokenizer).to.include({
      vocabSize: 17,
      padTokenId: 0,
      eosTokenId: 1,
      bosTokenId: null,
      hasChatTemplate: true,
    });
    expect(tokenizer.encode("12+3=\n<eos>")).to.deep.equal([3, 4, 12, 5, 14, 16, 1]);
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...alphabet) }), (text) => {
        const ids = tokenizer.encode(text);
        expect(ids).to.have.length(text.length);
        expect(tokenizer.decode(ids)).to.equal(text);
      }),
    );
    expect(tokenizer.decode([3, 1, 0], { skipSpecialTokens: true })).to.equal("1");
  });

  it("refuse a character outside the alphabet instead of dropping it", async () => {
    const tokenizer = await make();
    const error = await errorOf(() => tokenizer.encode("1 x 2"));
    expect(error.code).to.equal("VERL_DATA_TEXT_NOT_ENCODABLE");
    expect(error.message).to.include('"x"');
  });

  it("refuse an alphabet that repeats a character", async () => {
    const error = await errorOf(() => charTokenizerFiles("aba", { pad: "<pad>", eos: "<eos>" }));
    expect(error.code).to.equal("VERL_DATA_TOKENIZER_INVALID");
  });
});
