import { deflateSync, inflateSync } from "node:zlib";

export type Rgb = readonly [red: number, green: number, blue: number];

/** A PNG of one colour, 0 to 255 each. */
export function solidPng(width: number, height: number, [red, green, blue]: Rgb): Uint8Array {
  const row = [0, ...Array.from({ length: width }, () => [red, green, blue]).flat()];
  const pixels = Buffer.from(Array.from({ length: height }, () => row).flat());
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits, RGB.
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", deflateSync(pixels)), chunk("IEND")]);
}

/** The mean colour of a PNG that {@link solidPng} could have made, 0 to 1 each; throws for any other. */
export function meanColour(png: Uint8Array): Rgb {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const data: Buffer[] = [];
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT") data.push(bytes.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const pixels = inflateSync(Buffer.concat(data), { maxOutputLength: height * (1 + 3 * width) });
  const sums = [0, 0, 0];
  for (let y = 0; y < height; y++) {
    const start = y * (1 + 3 * width);
    if (pixels[start] !== 0) throw new Error("the picture has filtered rows");
    for (let i = 0; i < 3 * width; i++) sums[i % 3] += pixels[start + 1 + i];
  }
  const [red, green, blue] = sums.map((sum) => sum / (255 * width * height));
  return [red, green, blue];
}

function chunk(type: string, data: Uint8Array = new Uint8Array(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), out.length - 4);
  return out;
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
