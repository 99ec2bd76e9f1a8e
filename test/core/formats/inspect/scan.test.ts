import { expect } from "chai";
import { scanWeights } from "../../../../core/formats/index.js";
import { FLOAT_BITS, lookAtBits, lookAtDoubles } from "../../../../core/formats/inspect/float-bits.js";
import type { ScannedTensor } from "../../../../core/formats/inspect/weight-inspection.js";

describe("core/formats/inspect: bits of floating-point numbers", () => {
  const inF32 = (...values: number[]) => lookAtBits(Float32Array.from(values).buffer, values.length, "F32");

  it("tell NaN and infinity from numbers, however small or large", () => {
    expect(inF32(1, -3e38, 1e-45, 0)).to.deep.equal({ elements: 4, notFinite: 0, first: -1, hasNonZero: true });
    expect(inF32(0, Number.NaN, 1, -Infinity)).to.include({ notFinite: 2, first: 1 });
  });

  it("tell zeros of both signs from numbers", () => {
    expect(inF32(0, -0).hasNonZero).to.equal(false);
    expect(lookAtDoubles(Float64Array.of(0, -0).buffer, 2).hasNonZero).to.equal(false);
    expect(lookAtDoubles(Float64Array.of(0, 5e-324).buffer, 2).hasNonZero).to.equal(true);
  });

  it("do so for halves of both kinds and for doubles", () => {
    for (const [type, bad] of [
      ["BF16", [0x7f80, 0xff80, 0x7fc0]],
      ["F16", [0x7c00, 0xfc00, 0x7e00]],
    ] as const) {
      expect(FLOAT_BITS[type].bytes).to.equal(2);
      const words = Uint16Array.of(0x3f80, ...bad, 0x7bff & 0x3fff);
      expect(lookAtBits(words.buffer, words.length, type), type).to.include({ notFinite: 3, first: 1 });
    }
    expect(lookAtDoubles(Float64Array.of(1, 1e308, Number.NaN).buffer, 3)).to.include({ notFinite: 1, first: 2 });
  });
});

describe("core/formats/inspect: a look at values", () => {
  /** Three pieces of four elements each. */
  const tensor = (
    name: string,
    bad: number[],
    look: (name: string, index: number) => void = () => {},
  ): ScannedTensor => ({
    ...{ name, where: "file", elements: 12, isMatrix: true, bytes: 48, pieceElements: 4 },
    async look(index) {
      look(name, index);
      const own = bad.filter((at) => Math.floor(at / 4) === index).map((at) => at % 4);
      return { elements: 4, notFinite: own.length, first: own[0] ?? -1, hasNonZero: true };
    },
  });

  it("begins with the first piece of every tensor, and adds the pieces up", async () => {
    const order: string[] = [];
    const note = (name: string, index: number) => void order.push(`${name}${index}`);
    const result = await scanWeights([tensor("a", [5, 6, 9], note), tensor("b", [], note)], { seconds: 60 });
    expect(order).to.deep.equal(["a0", "b0", "a1", "a2", "b1", "b2"]);
    expect(result).to.deep.equal({
      bytes: 96,
      totalBytes: 96,
      isComplete: true,
      notFinite: [{ name: "a", where: "file", count: 3, first: 5 }],
      zero: [],
    });
  });

  it("ends when its time is up, and says how far it came", async () => {
    const result = await scanWeights([tensor("a", [])], { seconds: 0 });
    expect(result).to.include({ bytes: 0, totalBytes: 48, isComplete: false });
  });

  it("takes for zero only what it has seen in full", async () => {
    const zero: ScannedTensor = {
      ...tensor("z", []),
      look: async () => ({ elements: 4, notFinite: 0, first: -1, hasNonZero: false }),
    };
    expect((await scanWeights([zero], { seconds: 60 })).zero).to.deep.equal(["z"]);
    expect((await scanWeights([{ ...zero, isMatrix: false }], { seconds: 60 })).zero).to.deep.equal([]);
    expect((await scanWeights([zero], { seconds: 0 })).zero).to.deep.equal([]);
  });
});
