import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { loadTokenizer } from "../../../core/data/index.js";
import { readTokenizerFiles } from "../../../core/formats/index.js";
import type { FuzzReader } from "../fuzz-reader.js";
import { varint } from "./tiny-parquet.js";

/** A protocol buffer message: numbers, texts and messages by field. */
type Message = readonly (readonly [field: number, value: number | bigint | string | Uint8Array])[];

function proto(fields: Message): Buffer {
  return Buffer.concat(
    fields.map(([field, value]) => {
      if (typeof value === "number" || typeof value === "bigint")
        return Buffer.concat([varint(field * 8), varint(value)]);
      const bytes = Buffer.from(value as string);
      return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
    }),
  );
}

function piece(text: string, score: number, kind = 1): Buffer {
  const number = Buffer.alloc(4);
  number.writeFloatLE(score);
  return Buffer.concat([proto([[1, text]]), Buffer.concat([varint(2 * 8 + 5), number]), proto([[3, kind]])]);
}

const PIECES = [
  piece("<unk>", 0, 2),
  piece("<s>", 0, 3),
  piece("</s>", 0, 3),
  piece("▁", -1),
  piece("a", -2),
  piece("b", -3),
  piece("ab", -1.5),
  piece("▁ab", -1),
  piece("<tag>", 0, 4),
  ...["<0x41>", "<0xC3>"].map((text) => piece(text, 0, 6)),
];
const model = (trainer: Message, normalizer: Message = [], pieces: readonly Uint8Array[] = PIECES) =>
  proto([...pieces.map((bytes) => [1, bytes] as const), [2, proto(trainer)], [3, proto(normalizer)]]);

const number = fc.oneof(fc.nat(8), fc.constantFrom(2 ** 31, 2n ** 63n, 2n ** 64n - 1n));
const fields = fc.array(
  fc.tuple(
    fc.oneof(fc.constantFrom(2, 3, 4, 5, 24, 35, 40, 41, 42, 43, 45, 46), fc.nat(60)),
    fc.oneof(number, fc.string(), fc.uint8Array({ maxLength: 12 })),
  ),
  { maxLength: 4 },
);

/** tokenizer.model of SentencePiece: read, turned into a tokenizer, used. */
export const sentencepiece: FuzzReader = {
  name: "sentencepiece",
  seeds: () => [
    model([[3, 1]]),
    model(
      [
        [3, 2],
        [35, 1],
      ],
      [
        [3, 1],
        [4, 0],
      ],
    ),
  ],
  words: [varint(2n ** 64n - 1n), varint(2 ** 31), proto([[1, "ab"]]), piece("x", Number.NaN), piece("", 0)],
  generated: fc
    .tuple(fields, fields, fc.array(fc.tuple(fc.string(), fc.float(), fc.nat(7)), { maxLength: 6 }))
    .map(([trainer, normalizer, pieces]) =>
      model([[3, 1 + (trainer.length % 2)], ...trainer], normalizer, [
        ...PIECES,
        ...pieces.map((args) => piece(...args)),
      ]),
    ),
  hostile: {
    "10,000 pieces": () =>
      model([[3, 2]], [], [...PIECES, ...Array.from({ length: 10_000 }, (_, i) => piece(`p${i}`, -i))]),
    "5,000 user-defined pieces": () =>
      model([[3, 2]], [], [...PIECES, ...Array.from({ length: 5_000 }, (_, i) => piece(`<u${i}>`, 0, 4))]),
    "a piece of 100,000 letters": () => model([[3, 2]], [], [...PIECES, piece("ab".repeat(50_000), 0)]),
    "400 pieces that begin with each other": () =>
      model([[3, 2]], [], [...PIECES, ...Array.from({ length: 400 }, (_, i) => piece("a".repeat(i + 2), -i))]),
    "scores that are no numbers": () =>
      model([[3, 1]], [], [...PIECES, piece("c", Number.NaN), piece("d", Number.POSITIVE_INFINITY)]),
    "a piece called __proto__": () =>
      model([[3, 2]], [], [...PIECES, piece("__proto__", -4), piece("constructor", -4)]),
    "a score of two bytes": () =>
      model(
        [[3, 1]],
        [],
        [
          ...PIECES,
          proto([
            [1, "x"],
            [2, "ab"],
          ]),
        ],
      ),
    "a map of characters that is damaged": () => model([[3, 1]], [[2, Buffer.alloc(50, 0xff)]]),
    "a text of 2^62": () => Buffer.concat([varint(10), varint(2n ** 62n)]),
  },
  async read(input, folder) {
    writeFileSync(path.join(folder, "tokenizer.model"), input);
    const files = await readTokenizerFiles(folder);
    if (!files) return null;
    const tokenizer = await loadTokenizer(files);
    for (const text of ["", "ab ab", "é<tag> 2+2", "a".repeat(3000)]) tokenizer.decode(tokenizer.encode(text));
    return tokenizer.vocabSize;
  },
};
