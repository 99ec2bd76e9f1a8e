import { readFileSync } from "node:fs";
import { expect } from "chai";
import { ggufType } from "../../../../core/formats/gguf/types.js";

/** Made by test/peers/gguf_blocks.py with Python's `gguf`. */
const fixture = JSON.parse(readFileSync("test/fixtures/formats/gguf-blocks.json", "utf8")) as Record<
  string,
  { id: number; blocks: string; values: string }
>;

describe("dequantisation", () => {
  for (const [name, { id, blocks, values }] of Object.entries(fixture)) {
    it(`gives the values of Python's gguf for ${name}, bit by bit`, () => {
      const expected = new Float32Array(new Uint8Array(Buffer.from(values, "base64")).buffer);
      const type = ggufType(id);
      expect(type?.name).to.equal(name);
      const out = new Float32Array(expected.length);
      type?.dequantise?.(Buffer.from(blocks, "base64"), out);
      expect(out).to.deep.equal(expected);
    });
  }

  it("covers plain types", () => {
    const out = new Float32Array(2);
    ggufType(1)?.dequantise?.(new Uint8Array(Uint16Array.of(0x3c00, 0xc000).buffer), out);
    expect([...out]).to.deep.equal([1, -2]);
    ggufType(30)?.dequantise?.(new Uint8Array(Uint16Array.of(0x3f80, 0xc000).buffer), out);
    expect([...out]).to.deep.equal([1, -2]);
    ggufType(0)?.dequantise?.(new Uint8Array(Float32Array.of(0.1, 5).buffer), out);
    expect([...out]).to.deep.equal([Math.fround(0.1), 5]);
  });
});
