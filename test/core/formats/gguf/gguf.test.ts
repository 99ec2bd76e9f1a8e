import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { type ModelSource, openModel, type TokenizerFiles } from "../../../../core/formats/index.js";
import { isVerlError } from "../../../../core/host/errors.js";
import { errorOf, tinyConfig, tinyTensors, withFolder } from "../support.js";
import {
  bool,
  f32,
  f32Tensor,
  ggufBytes,
  int32,
  int64,
  type MetadataValue,
  string,
  text,
  texts,
  u32,
} from "./gguf-bytes.js";
import { tinyGgufTensors, tinyMetadata } from "./tiny-gguf.js";

async function open(folder: string, bytes: Uint8Array): Promise<ModelSource> {
  const path = join(folder, "model.gguf");
  await writeFile(path, bytes);
  return openModel(path);
}

describe("GGUF files", () => {
  for (const version of [2, 3]) {
    it(`reads configuration and weights of version ${version} as a Hugging Face folder would give them`, () =>
      withFolder(async (folder) => {
        const model = await open(folder, ggufBytes(tinyMetadata(), tinyGgufTensors(), { version }));
        expect(model.format).to.equal("gguf");
        const expected = tinyConfig({ rms_norm_eps: 1e-5, rope_theta: 100000 });
        expect({ ...model.config, raw: null }).to.deep.equal({ ...expected, raw: null });
        expect(model.config.raw).to.include({ model_type: "llama", tie_word_embeddings: true, rms_norm_eps: 1e-5 });
        for (const tensor of tinyTensors(expected)) expect(await model.readTensor(tensor.name)).to.deep.equal(tensor);
        await model.close();
      }));
  }

  it("reads a head of its own and another alignment", () =>
    withFolder(async (folder) => {
      const config = tinyConfig({ tie_word_embeddings: false });
      const metadata = tinyMetadata({ "general.alignment": u32(64) });
      const model = await open(folder, ggufBytes(metadata, tinyGgufTensors(config), { alignment: 64 }));
      expect(model.config.tieWordEmbeddings).to.equal(false);
      const into = new Float32Array(11 * 8);
      expect((await model.readTensor("lm_head.weight", into)).data).to.equal(into);
      expect(into).to.deep.equal(tinyTensors(config).at(-1)?.data);
      await model.close();
    }));

  it("collects every token that ends a turn", () =>
    withFolder(async (folder) => {
      const metadata = tinyMetadata({ "tokenizer.ggml.eot_token_id": u32(0) });
      const model = await open(folder, ggufBytes(metadata, tinyGgufTensors()));
      expect(model.config.eosTokenIds).to.deep.equal([2, 0]);
      expect((await model.tokenizerFiles())?.generationConfig.eos_token_id).to.deep.equal([2, 0]);
      await model.close();
    }));

  const unsupported: [string, Record<string, MetadataValue | null>, RegExp][] = [
    ["another architecture", { "general.architecture": text("mamba") }, /"mamba".*\n.*\n.*qwen3/],
    ["no architecture", { "general.architecture": null }, /architecture null/],
    ["rope scaling of another kind", { "llama.rope.scaling.type": text("ntk") }, /"ntk"/],
    ["experts", { "llama.expert_count": u32(8) }, /llama.expert_count 8/],
    ["attention in both directions", { "llama.attention.causal": bool(false) }, /llama.attention.causal false/],
    ["scaled embeddings", { "llama.embedding_scale": f32(2) }, /llama.embedding_scale 2/],
    ["partial rotary embeddings", { "llama.attention.key_length": u32(8) }, /4 of 8/],
    ["values of another width", { "llama.attention.value_length": u32(8) }, /values of 8/],
  ];
  for (const [what, changes, message] of unsupported) {
    it(`refuses ${what} by name`, () =>
      withFolder(async (folder) => {
        const error = await errorOf(() => open(folder, ggufBytes(tinyMetadata(changes), tinyGgufTensors())));
        expect(error.code).to.equal("VERL_FORMATS_MODEL_UNSUPPORTED");
        expect(error.message).to.match(message);
      }));
  }

  it("reads a file with a window as Mistral", () =>
    withFolder(async (folder) => {
      const metadata = tinyMetadata({ "llama.attention.sliding_window": u32(5) });
      const model = await open(folder, ggufBytes(metadata, tinyGgufTensors()));
      expect(model.config.modelType).to.equal("mistral");
      expect(model.config.layers[1].window).to.equal(5);
      await model.close();
    }));

  const withTensor = (folder: string, name: string, type = 0) => {
    const tensor = { ...f32Tensor(name, [256], new Float32Array(256)), type };
    return open(folder, ggufBytes(tinyMetadata(), [...tinyGgufTensors(), tensor]));
  };

  it("refuses a tensor that the family has not", () =>
    withFolder(async (folder) => {
      for (const name of ["blk.1.attn_q.bias", "blk.0.attn_sinks.weight", "blk.2.attn_q.weight", "output.bias"]) {
        const error = await errorOf(() => withTensor(folder, name));
        expect(error.code).to.equal("VERL_FORMATS_MODEL_UNSUPPORTED");
        expect(error.message).to.include(name);
      }
      await (await withTensor(folder, "cls.output.weight")).close();
    }));

  it("refuses storage types that it does not read, where they are needed", () =>
    withFolder(async (folder) => {
      const [embedding, ...others] = tinyGgufTensors(tinyConfig({ vocab_size: 32, hidden_size: 256 }));
      const unread = { ...embedding, type: 16, data: new Uint8Array(32 * 66) };
      const changes = { "llama.embedding_length": u32(256), "llama.attention.key_length": u32(4) };
      const needed = await errorOf(() => open(folder, ggufBytes(tinyMetadata(changes), [unread, ...others])));
      expect(needed.code).to.equal("VERL_FORMATS_DTYPE_UNSUPPORTED");
      expect(needed.message).to.include('"token_embd.weight"').and.include("IQ2_XXS").and.include("Q6_K");
      await (await withTensor(folder, "cls.output.weight", 16)).close();
      const unknown = await errorOf(() => withTensor(folder, "x", 77));
      expect(unknown.code).to.equal("VERL_FORMATS_DTYPE_UNSUPPORTED");
      expect(unknown.message).to.include('"x"').and.include("type 77");
    }));

  it("names missing and misshapen tensors", () =>
    withFolder(async (folder) => {
      const missing = await errorOf(() => open(folder, ggufBytes(tinyMetadata(), tinyGgufTensors().slice(0, -1))));
      expect(missing.code).to.equal("VERL_FORMATS_TENSOR_MISSING");
      expect(missing.message).to.include("output_norm.weight");
      const metadata = tinyMetadata({ "llama.feed_forward_length": u32(16) });
      const shape = await errorOf(() => open(folder, ggufBytes(metadata, tinyGgufTensors())));
      expect(shape.code).to.equal("VERL_FORMATS_TENSOR_SHAPE");
    }));

  const header = (...parts: Uint8Array[]) => Buffer.concat([Buffer.from("GGUF"), int32(3), ...parts]);
  const arrays = (depth: number): MetadataValue => {
    const levels = Array.from({ length: depth }, () => Buffer.concat([int32(9), int64(1)]));
    return { type: "raw", value: Buffer.concat([int32(9), ...levels, int32(4), int64(0)]) };
  };
  const damaged: [string, Uint8Array, RegExp][] = [
    ["an unknown version", Buffer.concat([Buffer.from("GGUF"), int32(1), int64(0), int64(0)]), /version 1/],
    [
      "a big-endian file",
      Buffer.concat([Buffer.from("GGUF"), Buffer.of(0, 0, 0, 3), int64(0), int64(0)]),
      /big-endian/,
    ],
    ["a cut-off header", header(int64(0)), /cut off/],
    ["a nonsense number of tensors", header(int64(2n ** 62n), int64(0)), /number of tensors/],
    ["more tensors than the file can hold", header(int64(1000), int64(0)), /claims 1000 tensors/],
    ["a key longer than the file", header(int64(0), int64(1), int64(2 ** 40), Buffer.alloc(9)), /metadata key claims/],
    [
      "an unknown value type",
      header(int64(0), int64(1), string("k"), int32(77), Buffer.alloc(8)),
      /"k" has the unknown type 77/,
    ],
    [
      "a list longer than the file",
      ggufBytes({ k: { type: "raw", value: Buffer.concat([int32(9), int32(4), int64(2 ** 33)]) } }, []),
      /elements of metadata "k"/,
    ],
    ["lists nested too deep", ggufBytes({ k: arrays(6) }, []), /nests arrays/],
    [
      "a repeated key",
      header(int64(0), int64(2), string("k"), int32(7), Buffer.of(1), string("k"), int32(7), Buffer.of(1)),
      /"k" is there twice/,
    ],
    [
      "an alignment that is no power of two",
      ggufBytes({ "general.alignment": u32(24) }, []),
      /general.alignment is 24/,
    ],
    [
      "a tensor beyond the end",
      ggufBytes({}, [f32Tensor("w", [64], new Float32Array(8))]),
      /"w" \(F32 \[64\]\) ends at/,
    ],
    [
      "rows that are not whole blocks",
      ggufBytes({}, [{ name: "w", shape: [2, 40], type: 2, data: new Uint8Array(64) }]),
      /rows of 40/,
    ],
    ["too many dimensions", ggufBytes({}, [f32Tensor("w", [1, 1, 1, 1, 1], new Float32Array(1))]), /5 dimensions/],
    [
      "a repeated tensor",
      ggufBytes({}, [f32Tensor("w", [1], new Float32Array(1)), f32Tensor("w", [1], new Float32Array(1))]),
      /"w" is there twice/,
    ],
  ];
  for (const [what, bytes, message] of damaged) {
    it(`refuses ${what}`, () =>
      withFolder(async (folder) => {
        const error = await errorOf(() => open(folder, bytes));
        expect(error.code).to.equal("VERL_FORMATS_GGUF_INVALID");
        expect(error.message).to.match(message).and.include("model.gguf");
      }));
  }

  it("answers any damaged byte and any cut with a result or a coded error", () =>
    withFolder(async (folder) => {
      const original = ggufBytes(tinyMetadata(), tinyGgufTensors());
      const edit = fc.record({ at: fc.nat(2600), byte: fc.nat(255) });
      await fc.assert(
        fc.asyncProperty(fc.array(edit, { maxLength: 4 }), fc.nat(original.length), async (edits, length) => {
          const bytes = Buffer.from(edits.length === 0 ? original.subarray(0, length) : original);
          for (const { at, byte } of edits) bytes[at] = byte;
          try {
            const model = await open(folder, bytes);
            await model.tokenizerFiles().catch(rethrowUncoded);
            for (const { name } of model.tensors) await model.readTensor(name);
            await model.close();
          } catch (error) {
            rethrowUncoded(error);
          }
        }),
        { numRuns: 300 },
      );
    }));
});

describe("tokenizer inside a GGUF file", () => {
  const files = (changes: Record<string, MetadataValue | null>) =>
    withFolder(async (folder) => {
      const model = await open(folder, ggufBytes(tinyMetadata(changes), tinyGgufTensors()));
      try {
        return await model.tokenizerFiles();
      } finally {
        await model.close();
      }
    });

  it("becomes a tokenizer.json with special tokens and merges", async () => {
    const found = await files({});
    const { model, added_tokens: added } = (found as TokenizerFiles).tokenizerJson as {
      model: { vocab: Record<string, number>; merges: string[][] };
      added_tokens: { content: string; special: boolean }[];
    };
    expect(model.vocab).to.include({ a: 3, Ġab: 10, "<|im_end|>": 2 });
    expect(model.merges).to.deep.equal([
      ["a", "b"],
      ["Ġ", "ab"],
    ]);
    expect(added.map(({ content, special }) => [content, special])).to.deep.equal([
      ["<|endoftext|>", true],
      ["<|im_start|>", true],
      ["<|im_end|>", true],
    ]);
    expect(found?.tokenizerConfig).to.include({ bos_token: "<|im_start|>", eos_token: "<|im_end|>" });
    expect(found?.chatTemplate).to.equal("{{ messages[0]['content'] }}");
  });

  it("is absent when the file has no vocabulary", async () => {
    expect(await files({ "tokenizer.ggml.model": null })).to.equal(null);
  });

  it("is refused by name when it cannot be rebuilt", async () => {
    const kind = await errorOf(() => files({ "tokenizer.ggml.model": text("rwkv") }));
    expect(kind.code).to.equal("VERL_FORMATS_TOKENIZER_UNSUPPORTED");
    const pre = await errorOf(() => files({ "tokenizer.ggml.pre": text("constructor") }));
    expect(pre.code).to.equal("VERL_FORMATS_TOKENIZER_UNSUPPORTED");
    expect(pre.message).to.include("constructor").and.include("smollm");
    const merges = await errorOf(() => files({ "tokenizer.ggml.merges": texts(["ab"]) }));
    expect(merges.message).to.include('"ab"');
  });
});

function rethrowUncoded(error: unknown): void {
  if (!isVerlError(error)) throw error;
}
