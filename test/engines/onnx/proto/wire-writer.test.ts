import { expect } from "chai";
import { WireWriter } from "../../../../engines/onnx/proto/index.js";

function bytesOf(write: (w: WireWriter) => void): number[] {
  const writer = new WireWriter();
  write(writer);
  return [...writer.finish()];
}

describe("engines/onnx/proto wire format", () => {
  it("writes variable-length integers, small, large and negative", () => {
    expect(bytesOf((w) => w.varintField(1, 150))).to.deep.equal([0x08, 0x96, 0x01]);
    expect(bytesOf((w) => w.varintField(1, 0))).to.deep.equal([0x08, 0x00]);
    expect(bytesOf((w) => w.varintField(2, 2 ** 31))).to.deep.equal([0x10, 0x80, 0x80, 0x80, 0x80, 0x08]);
    expect(bytesOf((w) => w.varintField(1, -1))).to.deep.equal([0x08, ...Array(9).fill(0xff), 0x01]);
    expect(bytesOf((w) => w.varintField(20, 7n))).to.deep.equal([0xa0, 0x01, 0x07]);
  });

  it("writes floats, texts and nested messages", () => {
    expect(bytesOf((w) => w.floatField(2, 1))).to.deep.equal([0x15, 0x00, 0x00, 0x80, 0x3f]);
    expect(bytesOf((w) => w.stringField(2, "testing"))).to.deep.equal([0x12, 7, ...Buffer.from("testing")]);
    const nested = bytesOf((w) => w.messageField(3, (m) => m.varintField(1, 150)));
    expect(nested).to.deep.equal([0x1a, 0x03, 0x08, 0x96, 0x01]);
  });

  it("keeps large blocks and many small fields in order", () => {
    const block = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
    const bytes = bytesOf((w) => {
      for (let i = 0; i < 300; i++) w.varintField(1, 5);
      w.messageField(2, (m) => m.bytesField(9, block));
      w.varintField(1, 6);
    });
    expect(bytes).to.have.lengthOf(600 + 3 + 3 + 1000 + 2);
    expect(bytes.slice(606, 1606)).to.deep.equal([...block]);
    expect(bytes.slice(-2)).to.deep.equal([0x08, 6]);
  });
});
