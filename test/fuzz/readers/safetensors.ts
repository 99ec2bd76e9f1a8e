import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { SafetensorsReader } from "../../../core/formats/index.js";
import type { FuzzReader } from "../fuzz-reader.js";
import { withOddMember } from "./odd-json.js";
import { nested } from "./soup.js";

/** A file of this header, whose length may be a lie, and this much data. */
function file(header: unknown, dataBytes: number, claimed?: bigint): Buffer {
  const json = Buffer.from(typeof header === "string" ? header : JSON.stringify(header));
  const out = Buffer.alloc(8 + json.length + dataBytes, 1);
  out.writeBigUInt64LE(claimed ?? BigInt(json.length), 0);
  json.copy(out, 8);
  return out;
}

const BYTES = { F32: 4, F16: 2, BF16: 2, F64: 8, I64: 8, I32: 4, U8: 1, BOOL: 1 } as const;
const dtype = fc.constantFrom(...(Object.keys(BYTES) as (keyof typeof BYTES)[]));
const tensor = fc.record({
  name: fc.oneof(fc.string(), fc.constant("__proto__")),
  dtype,
  shape: fc.array(fc.nat(4), { maxLength: 3 }),
});

/** Headers that hold, with the number of bytes that they describe. */
const valid = fc.uniqueArray(tensor, { maxLength: 4, selector: ({ name }) => name }).map((tensors) => {
  let end = 0;
  const entries = tensors.map(({ name, dtype, shape }) => {
    const begin = end;
    end += shape.reduce((product, size) => product * size, BYTES[dtype]);
    return [name, { dtype, shape, data_offsets: [begin, end] }] as const;
  });
  return { header: { __metadata__: { format: "pt" }, ...Object.fromEntries(entries) }, bytes: end };
});
const length = fc.constantFrom(0n, 1n, 7n, 2n ** 31n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n);

/** Safetensors: header, tensor table, tensors. */
export const safetensors: FuzzReader = {
  name: "safetensors",
  seeds: () => [
    file(
      {
        __metadata__: { format: "pt" },
        w: { dtype: "F32", shape: [2, 2], data_offsets: [0, 16] },
        b: { dtype: "BF16", shape: [2], data_offsets: [16, 20] },
      },
      20,
    ),
    file(
      {
        h: { dtype: "F16", shape: [3, 1], data_offsets: [0, 6] },
        d: { dtype: "F64", shape: [1], data_offsets: [6, 14] },
        i: { dtype: "I64", shape: [], data_offsets: [14, 22] },
      },
      22,
    ),
    file({ e: { dtype: "U8", shape: [0, 5], data_offsets: [0, 0] } }, 0),
  ],
  words: [
    '"dtype":"F32"',
    '"shape":[',
    '"data_offsets":[',
    "__metadata__",
    "9007199254740993",
    "1e999",
    "[[",
    "{",
    "}",
    ",",
    "-1",
  ],
  generated: valid.chain(({ header, bytes }) =>
    fc.oneof(
      fc.constant(file(header, bytes)),
      withOddMember(header).map((odd) => file(odd ?? "", bytes)),
      fc.nat(64).map((other) => file(header, other)),
      length.map((claimed) => file(header, bytes, claimed)),
    ),
  ),
  hostile: {
    "a header of 2^63 bytes": () => file({}, 0, 2n ** 63n),
    "a header of 99 MB": () => file({}, 0, 99_000_000n),
    "metadata that are no texts": () => file({ __metadata__: { a: { toString: 1 }, b: [[]], c: null } }, 0),
    "deep metadata": () => file(`{"__metadata__": {"a": ${nested("[", "]", 100_000)}}}`, 0),
    "a deep shape": () =>
      file(`{"w": {"dtype": "F32", "shape": ${nested("[", "]", 100_000)}, "data_offsets": [0, 0]}}`, 0),
    "a deep type": () => file(`{"w": {"dtype": ${nested("[", "]", 100_000)}}}`, 0),
    "a shape of 60,000 sizes": () =>
      file({ w: { dtype: "F32", shape: Array(60_000).fill(1), data_offsets: [0, 4] } }, 4),
    "a shape beyond numbers": () =>
      file({ w: { dtype: "F32", shape: [2 ** 52, 2 ** 52, 2 ** 52, 0], data_offsets: [0, 0] } }, 0),
    "a tensor far away": () => file({ w: { dtype: "U8", shape: [2 ** 52], data_offsets: [0, 2 ** 52] } }, 0),
    "6,000 empty tensors": () =>
      file(
        Object.fromEntries(
          Array.from({ length: 6_000 }, (_, i) => [`w${i}`, { dtype: "F32", shape: [0], data_offsets: [0, 0] }]),
        ),
        0,
      ),
    "a name of 200,000 letters": () => file({ ["w".repeat(200_000)]: 1 }, 0),
  },
  async read(input, folder) {
    const where = path.join(folder, "model.safetensors");
    writeFileSync(where, input);
    const reader = await SafetensorsReader.open(where);
    try {
      for (const name of reader.names) {
        if (reader.get(name)!.dtype.startsWith("F8")) continue;
        await (/^B?F/.test(reader.get(name)!.dtype) && reader.get(name)!.dtype !== "BOOL"
          ? reader.readF32(name)
          : reader.readRaw(name));
      }
      return reader.metadata;
    } finally {
      await reader.close();
    }
  },
};
