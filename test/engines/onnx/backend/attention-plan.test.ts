import { expect } from "chai";
import fc from "fast-check";
import { fitsAttention, planAttention } from "../../../../engines/onnx/backend/attention-plan.js";

const LAYER = { window: null, rope: 0, attentionScale: 1 };
const MODEL = { numHeads: 9, numLayers: 30, layers: Array.from({ length: 30 }, () => LAYER) };
/** All but the first layer see 512 tokens; the first sees `first`. */
const windowed = (first: number | null) => ({
  ...MODEL,
  layers: MODEL.layers.map((layer, i) => ({ ...layer, window: i === 0 ? first : 512 })),
});
const MiB = 2 ** 20;

describe("engines/onnx/backend attention plan", () => {
  it("computes short sequences at once while the weights of all layers fit", () => {
    const work = { sequences: 8, longest: 128 };
    expect(planAttention(MODEL, work, 1024 * MiB)).to.deep.equal({
      rows: null,
      windows: false,
      bytes: 8 * 128 ** 2 * 9 * 30 * 4,
    });
  });

  it("computes long ones in blocks, whose memory grows with the length and not with its square", () => {
    const bytesOf = (longest: number) => planAttention(MODEL, { sequences: 1, longest }, 1024 * MiB).bytes;
    expect(planAttention(MODEL, { sequences: 1, longest: 4096 }, 1024 * MiB).rows).to.equal(128);
    expect(bytesOf(8192)).to.equal(2 * bytesOf(4096));
  });

  it("computes one sequence in blocks rather than beyond the bound", () => {
    expect(planAttention(MODEL, { sequences: 1, longest: 200 }, 4 * MiB).rows).to.equal(32);
  });

  it("needs no more for a longer sequence where all layers have windows", () => {
    const bytesOf = (longest: number, first: number | null) =>
      planAttention(windowed(first), { sequences: 1, longest }, 1024 * MiB).bytes;
    expect(bytesOf(32768, 1024)).to.equal(bytesOf(2048, 1024));
    expect(bytesOf(32768, 1024)).to.equal((128 + 1024 - 1) * 128 * 9 * 4 * 4);
    expect(bytesOf(32768, null)).to.equal(16 * bytesOf(2048, null));
  });

  it("leaves windows out where all sequences are within them", () => {
    const hasWindows = (longest: number) =>
      planAttention(windowed(null), { sequences: 1, longest }, 1024 * MiB).windows;
    expect([hasWindows(512), hasWindows(513)]).to.deep.equal([false, true]);
  });

  it("keeps to the bound down to single queries", () => {
    const work = fc.record({ sequences: fc.integer({ min: 1, max: 64 }), longest: fc.integer({ min: 1, max: 1e5 }) });
    fc.assert(
      fc.property(work, fc.integer({ min: 1, max: 1024 * MiB }), (work, bytes) => {
        const { rows, bytes: needed } = planAttention(MODEL, work, bytes);
        if (rows !== 1) expect(needed).to.be.at.most(bytes);
        if (fitsAttention(MODEL, work, bytes)) expect(needed).to.be.at.most(bytes);
      }),
    );
  });
});
