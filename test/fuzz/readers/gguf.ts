import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { readGgufHeader } from "../../../core/formats/gguf/header.js";
import { openModel } from "../../../core/formats/index.js";
import { RandomAccessFile } from "../../../core/formats/random-access-file.js";
import {
  f32,
  type GgufTensorBytes,
  ggufBytes,
  i32s,
  int32,
  int64,
  type MetadataValue,
  string,
  text,
  texts,
  u32,
} from "../../core/formats/gguf/gguf-bytes.js";
import { tinyGgufTensors, tinyMetadata } from "../../core/formats/gguf/tiny-gguf.js";
import { tinyConfig } from "../../core/formats/support.js";
import type { FuzzReader } from "../fuzz-reader.js";

const raw = (...parts: Uint8Array[]): MetadataValue => ({ type: "raw", value: Buffer.concat(parts) });
const header = (tensors: bigint | number, metadata: bigint | number, ...rest: Uint8Array[]) =>
  Buffer.concat([Buffer.from("GGUF"), int32(3), int64(tensors), int64(metadata), ...rest]);

const integer = fc.constantFrom(0, 1, 2, 8, 11, 2 ** 24, 2 ** 24 + 1, 2 ** 31, 4294967295);
const oddValue: fc.Arbitrary<MetadataValue> = fc.oneof(
  integer.map((value) => u32(value)),
  fc.double().map((value) => f32(value)),
  fc.string().map((value) => text(value)),
  fc.array(fc.string(), { maxLength: 12 }).map((value) => texts(value)),
  fc.array(fc.integer(), { maxLength: 12 }).map((value) => i32s(value)),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => raw(int32(10), int64(value))),
  // An array of arrays, and one of a type that does not exist.
  fc.constant(raw(int32(9), int32(9), int64(2), int32(4), int64(0), int32(0), int64(1), Buffer.of(7))),
  fc.constant(raw(int32(9), int32(77), int64(2))),
  fc.constant(raw(int32(99))),
);
const OTHER_KEYS = [
  "general.alignment",
  "llama.attention.sliding_window",
  "llama.expert_count",
  "llama.rope.scaling.attn_factor",
  "llama.rope.scaling.factor",
  "llama.rope.scaling.type",
  "split.count",
  "split.no",
];
const changes = fc.dictionary(fc.constantFrom(...Object.keys(tinyMetadata()), ...OTHER_KEYS), fc.option(oddValue), {
  maxKeys: 2,
});

/** Rows of 32 in Q8_0, the others as they are. */
function quantisedTensors(): GgufTensorBytes[] {
  return tinyGgufTensors(tinyConfig({ intermediate_size: 32 })).map((tensor) =>
    tensor.shape[1] === 32 ? { ...tensor, type: 8, data: new Uint8Array(34 * tensor.shape[0]) } : tensor,
  );
}

/** GGUF: header, model, tokenizer, tensors. */
export const gguf: FuzzReader = {
  name: "gguf",
  seeds: () => [
    ggufBytes(tinyMetadata(), tinyGgufTensors()),
    ggufBytes(
      tinyMetadata({
        a: raw(int32(9), int32(9), int64(1), int32(8), int64(1), string("x")),
        "general.alignment": u32(64),
        "llama.feed_forward_length": u32(32),
      }),
      quantisedTensors(),
      { alignment: 64 },
    ),
    ...["llama-3", "gemma2", "gpt2", "minicpm"].map((name) => readFileSync(`test/fixtures/formats/gguf/${name}.gguf`)),
  ],
  words: [
    int64(2n ** 63n),
    int64(2 ** 40),
    int32(9),
    int32(8),
    int32(-1),
    "GGUF",
    "tokenizer.ggml.tokens",
    "general.alignment",
  ],
  generated: changes.map((some) => ggufBytes(tinyMetadata(some), tinyGgufTensors())),
  hostile: {
    "2^63 tensors": () => header(2n ** 63n, 0),
    "2^40 metadata entries": () => header(0, 2 ** 40, Buffer.alloc(200)),
    "as many tensors as could fit": () => header(8_000, 0, Buffer.alloc(24 * 8_000)),
    "as many metadata entries as could fit": () => header(0, 15_000, Buffer.alloc(13 * 15_000)),
    "an array of 2^40": () => header(0, 1, string("a"), int32(9), int32(0), int64(2 ** 40)),
    "an array of empty arrays": () =>
      header(0, 1, string("a"), int32(9), int32(9), int64(15_000), Buffer.alloc(12 * 15_000)),
    "an array of empty texts": () =>
      header(0, 1, string("a"), int32(9), int32(8), int64(25_000), Buffer.alloc(8 * 25_000)),
    "an array of 200,000 bytes": () =>
      header(0, 1, string("a"), int32(9), int32(0), int64(200_000), Buffer.alloc(200_000)),
    "a text of 2^62": () => header(0, 1, int64(2n ** 62n), Buffer.alloc(100)),
    "16 million layers": () => ggufBytes(tinyMetadata({ "llama.block_count": u32(2 ** 24) }), tinyGgufTensors()),
    "16 million heads": () =>
      ggufBytes(
        tinyMetadata({ "llama.attention.head_count": u32(2 ** 24), "llama.embedding_length": u32(2 ** 24) }),
        tinyGgufTensors(),
      ),
    "an alignment of a million": () =>
      ggufBytes(tinyMetadata({ "general.alignment": u32(2 ** 20) }), tinyGgufTensors()),
    "a list for a name": () =>
      ggufBytes(tinyMetadata({ "general.architecture": texts(Array(20_000).fill("x")) }), tinyGgufTensors()),
    "token ids that are no tokens": () =>
      ggufBytes(
        tinyMetadata({ "tokenizer.ggml.bos_token_id": u32(4294967295), "tokenizer.ggml.eos_token_id": text("x") }),
        tinyGgufTensors(),
      ),
    "20,000 merges of nothing": () =>
      ggufBytes(tinyMetadata({ "tokenizer.ggml.merges": texts(Array(20_000).fill("a b")) }), tinyGgufTensors()),
  },
  // Metadata take more memory than bytes in the file: at most 2^23 values (docs/Reference/limits.md).
  async read(input, folder) {
    const where = path.join(folder, "model.gguf");
    writeFileSync(where, input);
    const file = await RandomAccessFile.open(where);
    try {
      await readGgufHeader(file);
    } finally {
      await file.close();
    }
    const model = await openModel(where);
    try {
      for (const { name } of model.tensors) await model.readTensor(name);
      return await model.tokenizerFiles();
    } finally {
      await model.close();
    }
  },
};
