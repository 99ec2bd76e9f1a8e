import fc from "fast-check";
import { MediaStore, takeMedia } from "../../../core/data/index.js";
import { isVerlError } from "../../../core/host/errors.js";
import { solidPng } from "../../../testing/index.js";
import { bytesOf, type FuzzReader, type Input, textOf } from "../fuzz-reader.js";

const PNG = Buffer.from(solidPng(6, 4, [250, 128, 3]));
const latin1 = (text: string) => Buffer.from(text, "latin1");
const JPEG = latin1(
  "\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08\x00\x10\x00\x20\x03\x01\x11\x00\x02\x11\x01\x03\x11\x01",
);
const WEBP = latin1(`RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\x05\xc0\0\0${"\0".repeat(12)}`);
const GIF = latin1("GIF89a\x06\0\x04\0\0\0\0");

/** Images, videos and sounds: of their bytes only the headers are read. What names them is read too, as a part of a message. */
export const media: FuzzReader = {
  name: "media",
  seeds: () => [PNG, JPEG, WEBP, GIF, `data:image/png;base64,${PNG.toString("base64")}`, '{"url":"data:,x"}'],
  words: [
    "\x89PNG",
    "IHDR",
    "RIFF",
    "WEBP",
    "VP8X",
    "ftyp",
    "data:",
    ";base64,",
    "sha256:",
    "%ff",
    "file:///",
    "../",
  ].map(latin1),
  generated: fc
    .array(fc.tuple(fc.constantFrom(0xc0, 0xc4, 0xd8, 0xda, 0xe1, 0xff), fc.uint8Array({ maxLength: 20 })), {
      maxLength: 20,
    })
    .map(
      (segments): Input =>
        Buffer.concat([JPEG.subarray(0, 2), ...segments.flatMap(([m, d]) => [Buffer.of(0xff, m), d])]),
    ),
  hostile: {
    "a JPEG of a million empty segments": () =>
      Buffer.concat([JPEG.subarray(0, 2), Buffer.from("ffe00002".repeat(1_000_000), "hex")]),
    "a JPEG of 5 MB of fill bytes": () => Buffer.concat([JPEG.subarray(0, 2), Buffer.alloc(5_000_000, 0xff)]),
    "a JPEG segment without length": () => Buffer.from("ffd8ffe00000".padEnd(2_000_000, "0"), "hex"),
    "pixels beyond count": () => Buffer.concat([PNG.subarray(0, 16), Buffer.alloc(8, 0xff), PNG.subarray(24)]),
    "a data URL of parameters": () => `data:image/png${";a=b".repeat(500_000)},x`,
    "a data URL without comma": () => `data:${"a".repeat(2_000_000)}`,
    "20 MB of percents": () => `data:,${"%4".repeat(10_000_000)}`,
    "20 MB of nearly base64": () => `${"A".repeat(20_000_000)}*`,
    "20 MB of spaces in base64": () => `AAAA${" ".repeat(20_000_000)}`,
  },
  async read(input, folder) {
    const value = textOf(input);
    const values: unknown[] = [input, value, `data:image/png;base64,${Buffer.from(input).toString("base64")}`];
    try {
      values.push(JSON.parse(value));
    } catch {
      // No object then.
    }
    // What a format is read from is bytes; whatever names them is read alike for every kind.
    const given = [
      ...values.map((one) => ["image", one] as const),
      ["video", input] as const,
      ["audio", input] as const,
    ];
    for (const [kind, one] of given) {
      const messages = [{ role: "user", content: [{ type: kind, [kind]: one }] }];
      await takeMedia(messages, new MediaStore(), { root: folder }).catch((error: unknown) => {
        if (!isVerlError(error)) throw error;
      });
    }
    return bytesOf(input).length;
  },
};
