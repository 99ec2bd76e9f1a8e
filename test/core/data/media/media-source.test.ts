import { expect } from "chai";
import { mediaSource } from "../../../../core/data/index.js";
import { solidPng } from "../../../../testing/index.js";

const PNG = Buffer.from(solidPng(40, 20, [200, 10, 10]));
const BASE64 = PNG.toString("base64");

const bytesOf = (value: unknown) => {
  const source = mediaSource(value);
  if (!("bytes" in source)) throw new Error(JSON.stringify(source));
  return Buffer.from(source.bytes);
};

describe("core/data/media/media-source", () => {
  const forms: Readonly<Record<string, unknown>> = {
    bytes: new Uint8Array(PNG),
    base64: BASE64,
    "base64 in lines": BASE64.replaceAll(/(.{20})/g, "$1\n"),
    "a data URL": `data:image/png;base64,${BASE64}`,
    "a data URL with parameters": `data:image/png;name=x;base64,${BASE64}`,
    "a percent-encoded data URL": `data:image/png,${[...PNG].map((b) => `%${b.toString(16).padStart(2, "0")}`).join("")}`,
    "Hugging Face's {bytes, path}": { bytes: BASE64, path: "x.png" },
    "{bytes} of Uint8Array": { bytes: new Uint8Array(PNG), path: null },
    "{image}": { image: `data:image/png;base64,${BASE64}` },
    "OpenAI's {url}": { url: `data:image/png;base64,${BASE64}` },
    "{image_url: {url}}": { image_url: { url: `data:image/png;base64,${BASE64}` } },
    "OpenAI's input_audio": { data: BASE64, format: "png" },
  };
  for (const [name, value] of Object.entries(forms)) {
    it(`finds the bytes in ${name}`, () => {
      expect(bytesOf(value).equals(PNG)).to.equal(true);
    });
  }

  it("bytes that a Parquet reader gave as text are those of the text", () => {
    expect(bytesOf({ bytes: "GIF89a\u0001\u0000\u0001\u0000" }).toString("latin1")).to.match(/^GIF89a/);
  });

  it("takes texts that are no base64 of a medium for paths", () => {
    expect(mediaSource("pictures/a.png")).to.deep.equal({ path: "pictures/a.png" });
    expect(mediaSource("a".repeat(80))).to.deep.equal({ path: "a".repeat(80) });
    expect(mediaSource({ bytes: null, path: "b.png" })).to.deep.equal({ path: "b.png" });
    expect(mediaSource("file:///tmp/c.png")).to.deep.equal({ path: "/tmp/c.png" });
  });

  it("knows references", () => {
    const id = "0123456789abcdef".repeat(4);
    expect(mediaSource(`sha256:${id}`)).to.deep.equal({ id });
  });

  for (const address of ["https://example.org/a.png", "s3://bucket/a.png", "ftp://example.org/a.png", "gs://b/a"]) {
    it(`fetches nothing from the network: ${address}`, () => {
      expect(mediaSource(address)).to.have.property("problem").that.contains("network").and.contains(address);
    });
  }

  it("says that nothing is named, and that a data URL is empty", () => {
    expect(mediaSource(null)).to.deep.equal({ problem: "it names nothing" });
    expect(mediaSource("data:image/png;base64,")).to.deep.equal({ problem: "the data URL is empty" });
  });

  for (const value of [
    null,
    7,
    [],
    {},
    { bytes: 7 },
    "",
    "a\0b",
    "data:image/png;base64",
    "data:image/png;base64,***",
  ]) {
    it(`says what is wrong with ${JSON.stringify(value)}`, () => {
      expect(mediaSource(value)).to.have.property("problem");
    });
  }

  it("does not follow objects without end", () => {
    const circular: Record<string, unknown> = {};
    circular.image = circular;
    expect(() => mediaSource(circular)).to.not.throw(RangeError);
  });
});
