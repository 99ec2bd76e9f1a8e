import fc, { type Arbitrary } from "fast-check";

type Edit = (bytes: Uint8Array) => Uint8Array;

/** Nothing that is made here is larger: the cost of an input must come from its content. */
const MAX_BYTES = 1 << 18;

/** Where an edit acts: headers and footers more often than what lies between. */
const place = fc
  .tuple(fc.constantFrom("start", "end", "any", "any"), fc.nat(255), fc.nat(0xffffffff))
  .map(([where, near, far]) => (length: number): number => {
    if (length === 0) return 0;
    if (where === "start") return Math.min(near, length - 1);
    if (where === "end") return Math.max(0, length - 1 - near);
    return far % length;
  });

const spanLength = fc.oneof(fc.nat(4), fc.nat(64), fc.nat(4096));

/** Integers at which length checks go wrong. */
const INTEGERS: readonly bigint[] = [
  ...[0n, 1n, -1n, 2n, 7n, 8n, 127n, 128n, 255n, 256n, 0x7fffn, 0xffffn],
  ...[31n, 32n, 40n, 53n, 62n, 63n, 64n].flatMap((bits) => [(1n << bits) - 1n, 1n << bits, -(1n << bits)]),
];
const integer = fc.constantFrom(...INTEGERS);

const flipBit = fc.tuple(place, fc.nat(7)).map(
  ([at, bit]): Edit =>
    (bytes) => {
      if (bytes.length === 0) return bytes;
      const out = bytes.slice();
      out[at(bytes.length)] ^= 1 << bit;
      return out;
    },
);
const setByte = fc.tuple(place, fc.constantFrom(0, 1, 0x7f, 0x80, 0xc0, 0xff)).map(
  ([at, value]): Edit =>
    (bytes) => {
      if (bytes.length === 0) return bytes;
      const out = bytes.slice();
      out[at(bytes.length)] = value;
      return out;
    },
);
const insert = fc.tuple(place, fc.uint8Array({ minLength: 1, maxLength: 8 })).map(
  ([at, more]): Edit =>
    (bytes) =>
      replace(bytes, at(bytes.length), 0, more),
);
const remove = fc.tuple(place, spanLength).map(
  ([at, length]): Edit =>
    (bytes) =>
      replace(bytes, at(bytes.length), length, new Uint8Array(0)),
);
const duplicate = fc.tuple(place, place, spanLength, fc.constantFrom(1, 1, 2, 50)).map(
  ([from, to, length, times]): Edit =>
    (bytes) => {
      const start = from(bytes.length);
      return replace(bytes, to(bytes.length), 0, repeat(bytes.subarray(start, start + length + 1), times));
    },
);
const truncate = place.map(
  (at): Edit =>
    (bytes) =>
      bytes.slice(0, at(bytes.length)),
);
const writeInteger = fc.tuple(place, integer, fc.constantFrom(1, 2, 4, 8), fc.boolean(), fc.boolean()).map(
  ([at, value, width, little, aligned]): Edit =>
    (bytes) => {
      if (bytes.length < width) return bytes;
      const out = bytes.slice();
      const start = Math.min(at(bytes.length), bytes.length - width);
      const word = new DataView(new ArrayBuffer(8));
      word.setBigInt64(0, BigInt.asIntN(64, value), little);
      const chosen = new Uint8Array(word.buffer, little ? 0 : 8 - width, width);
      out.set(chosen, aligned ? start - (start % width) : start);
      return out;
    },
);
const writeDecimal = fc.tuple(place, fc.oneof(integer.map(String), fc.constantFrom("1e400", "-0", "0.5", "1e9"))).map(
  ([at, digits]): Edit =>
    (bytes) => {
      const isDigit = (i: number) => bytes[i] >= 0x30 && bytes[i] <= 0x39;
      let start = at(bytes.length);
      while (start < bytes.length && !isDigit(start)) start++;
      let end = start;
      while (isDigit(end)) end++;
      return replace(bytes, start, end - start, Buffer.from(digits));
    },
);
/** Cut, overlong and lone parts of UTF-8, a byte order mark, NUL and line ends of several systems. */
const ODD_TEXT = [
  "\xff",
  "\xc3",
  "\xed\xa0\x80",
  "\xf4\x90\x80\x80",
  "\xc0\x80",
  "\xef\xbb\xbf",
  "\0",
  "\r",
  "\r\n",
].map((text) => Buffer.from(text, "latin1"));

function wordEdits(words: readonly Uint8Array[]): Arbitrary<Edit>[] {
  const word = fc.constantFrom(...words, ...ODD_TEXT);
  const times = fc.constantFrom(1, 1, 1, 2, 300, 20_000);
  return [
    fc.tuple(place, word, times).map(
      ([at, piece, count]): Edit =>
        (bytes) =>
          replace(bytes, at(bytes.length), 0, repeat(piece, count)),
    ),
    fc.tuple(place, word).map(
      ([at, piece]): Edit =>
        (bytes) =>
          replace(bytes, at(bytes.length), piece.length, piece),
    ),
  ];
}

function splices(seeds: readonly Uint8Array[]): Arbitrary<Edit> {
  return fc.tuple(fc.constantFrom(...seeds), place, place).map(
    ([other, cut, from]): Edit =>
      (bytes) =>
        Buffer.concat([bytes.subarray(0, cut(bytes.length)), other.subarray(from(other.length))]),
  );
}

/** Seeds with one to a few things wrong with them. */
export function mutations(seeds: readonly Uint8Array[], words: readonly Uint8Array[]): Arbitrary<Uint8Array> {
  const edit = fc.oneof(
    flipBit,
    setByte,
    insert,
    remove,
    duplicate,
    truncate,
    writeInteger,
    writeDecimal,
    splices(seeds),
    ...wordEdits(words),
  );
  return fc
    .tuple(fc.constantFrom(...seeds), fc.array(edit, { minLength: 1, maxLength: 4 }))
    .map(([seed, edits]) => edits.reduce((bytes, apply) => apply(bytes).subarray(0, MAX_BYTES), seed));
}

function replace(bytes: Uint8Array, at: number, length: number, by: Uint8Array): Uint8Array {
  return Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + length)]);
}

function repeat(piece: Uint8Array, times: number): Uint8Array {
  const count = Math.min(times, Math.floor(MAX_BYTES / Math.max(1, piece.length)));
  const out = new Uint8Array(piece.length * count);
  for (let i = 0; i < count; i++) out.set(piece, i * piece.length);
  return out;
}
