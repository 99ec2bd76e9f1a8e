import { expect } from "chai";
import { type MediaKind, mediaFormat } from "../../../../core/data/index.js";
import { solidPng } from "../../../../testing/index.js";

const bytes = (...parts: (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))));
const zeros = (n: number) => new Array<number>(n).fill(0);

const jpeg = (...before: readonly number[]) =>
  bytes([0xff, 0xd8], before, [0xff, 0xc2, 0, 17, 8, 0x01, 0x2c, 0x02, 0x58, 3], zeros(9), SCAN);
const SCAN = [0xff, 0xda, 0, 3, 0, 7, 0xff, 0xd9];
/** A colour table of two, a comment, and a picture with one block of data. */
const GIF = [0x80, 0, 0, ...zeros(6), 0x21, 0xfe, 1, 65, 0, 0x2c, ...zeros(9), 2, 1, 0x44, 0, 0x3b];

/** Headers as the formats' own documents describe them; 600 x 300 pixels where the format allows. */
const IMAGES: Readonly<Record<string, { readonly file: Uint8Array; readonly type: string }>> = {
  PNG: { file: solidPng(600, 300, [1, 2, 3]), type: "image/png" },
  GIF: { file: bytes("GIF89a", [0x58, 0x02, 0x2c, 0x01], GIF), type: "image/gif" },
  JPEG: { file: jpeg(0xff, 0xe0, 0, 4, 1, 2), type: "image/jpeg" },
  "JPEG with fill bytes and a thumbnail in a segment": {
    file: jpeg(0xff, 0xe1, 0, 14, 0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 0, 9, 0, 0xff, 0xd9, 0xff, 0xff),
    type: "image/jpeg",
  },
  "WebP, lossy": {
    file: bytes("RIFF", zeros(4), "WEBPVP8 ", zeros(4), [0, 0, 0, 0x9d, 0x01, 0x2a, 0x58, 0x42, 0x2c, 0x41], zeros(8)),
    type: "image/webp",
  },
  "WebP, lossless": {
    file: bytes("RIFF", zeros(4), "WEBPVP8L", zeros(4), [0x2f, 0x57, 0xc2, 0x4a, 0x00], zeros(8)),
    type: "image/webp",
  },
  "WebP, extended": {
    file: bytes("RIFF", zeros(4), "WEBPVP8X", zeros(8), [0x57, 0x02, 0, 0x2b, 0x01, 0], zeros(4)),
    type: "image/webp",
  },
};

const CONTAINERS: readonly (readonly [string, MediaKind, string, Uint8Array])[] = [
  ["WAV", "audio", "audio/wav", bytes("RIFF", zeros(4), "WAVE")],
  ["FLAC", "audio", "audio/flac", bytes("fLaC")],
  ["MP3 with a tag", "audio", "audio/mpeg", bytes("ID3", [4])],
  ["MP3", "audio", "audio/mpeg", bytes([0xff, 0xfb, 0x90])],
  ["Ogg sound", "audio", "audio/ogg", bytes("OggS")],
  ["M4A", "audio", "audio/mp4", bytes(zeros(4), "ftypM4A ")],
  ["MP4", "video", "video/mp4", bytes(zeros(4), "ftypisom")],
  ["WebM", "video", "video/webm", bytes([0x1a, 0x45, 0xdf, 0xa3])],
  ["AVI", "video", "video/x-msvideo", bytes("RIFF", zeros(4), "AVI ")],
];

describe("core/data/media/media-format", () => {
  for (const [name, { file, type }] of Object.entries(IMAGES)) {
    it(`reads type and size of ${name}`, () => {
      expect(mediaFormat(file, "image")).to.deep.equal({ mimeType: type, width: 600, height: 300 });
    });

    it(`says no size of ${name} that ends in its header`, () => {
      for (let length = 0; length < 10; length++) {
        expect(mediaFormat(file.subarray(0, length), "image"), `${length} bytes`).to.have.property("problem");
      }
    });
  }

  for (const name of ["PNG", "GIF", "JPEG", "JPEG with fill bytes and a thumbnail in a segment"]) {
    it(`refuses ${name} that was cut off anywhere`, () => {
      const { file } = IMAGES[name];
      // Viewers do without a GIF's last byte.
      const whole = name === "GIF" ? file.length - 1 : file.length;
      for (let length = 0; length < whole; length++) {
        expect(mediaFormat(file.subarray(0, length), "image"), `${length} bytes`).to.have.property("problem");
      }
    });
  }

  it("refuses WebP that is shorter than it says", () => {
    const file = Buffer.from(IMAGES["WebP, lossy"].file);
    file.writeUInt32LE(file.length - 8, 4);
    expect(mediaFormat(file, "image")).to.not.have.property("problem");
    expect(mediaFormat(file.subarray(0, -1), "image"))
      .to.have.property("problem")
      .that.contains("cut off");
  });

  for (const [name, kind, mimeType, file] of CONTAINERS) {
    it(`knows ${name}`, () => {
      expect(mediaFormat(file, kind)).to.deep.equal({ mimeType });
      expect(mediaFormat(file, "image")).to.have.property("problem");
    });
  }

  it("does not take an image for a sound", () => {
    expect(mediaFormat(IMAGES.PNG.file, "audio")).to.have.property("problem").that.contains("image/png");
  });

  it("refuses an image whose pixels would fill the memory", () => {
    const bomb = Buffer.from(solidPng(1, 1, [0, 0, 0]));
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    expect(mediaFormat(bomb, "image")).to.have.property("problem").that.contains("60000 x 60000 pixels");
  });

  it("refuses what is empty and what it does not know", () => {
    expect(mediaFormat(new Uint8Array(0), "image")).to.deep.equal({ problem: "it is empty" });
    expect(mediaFormat(Buffer.from("<svg/>"), "image"))
      .to.have.property("problem")
      .that.contains("PNG, JPEG");
  });
});
