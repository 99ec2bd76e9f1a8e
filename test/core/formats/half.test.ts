import { expect } from "chai";
import fc from "fast-check";
import { f16Value } from "../../../core/formats/half.js";
import { bf16ToF32, f16ToF32, f32ToBf16, f32ToF16 } from "../../../core/formats/index.js";

const allBits = Uint16Array.from({ length: 65536 }, (_, i) => i);

describe("16-bit floats", () => {
  it("reads the known values of both types", () => {
    const f16 = f16ToF32(Uint16Array.of(0x3c00, 0xc000, 0x7bff, 0x0001, 0x0400, 0x7c00, 0xfc00, 0x8000));
    expect([...f16]).to.deep.equal([1, -2, 65504, 2 ** -24, 2 ** -14, Infinity, -Infinity, -0]);
    expect([...bf16ToF32(Uint16Array.of(0x3f80, 0xc000, 0x7f80, 0x0001))]).to.deep.equal([1, -2, Infinity, 2 ** -133]);
  });

  it("gives every non-NaN bit pattern back after a round trip", () => {
    for (const [read, write, isNaNBits] of [
      [f16ToF32, f32ToF16, (b: number) => (b & 0x7fff) > 0x7c00],
      [bf16ToF32, f32ToBf16, (b: number) => (b & 0x7fff) > 0x7f80],
    ] as const) {
      const back = write(read(allBits));
      const wrong = allBits.filter((b) => !isNaNBits(b) && back[b] !== b);
      expect(wrong).to.have.length(0);
      expect(allBits.filter((b) => isNaNBits(b) && !isNaNBits(back[b]))).to.have.length(0);
    }
  });

  it("agrees between the scalar and the array reader", () => {
    const array = f16ToF32(allBits);
    expect(allBits.filter((b) => !Object.is(f16Value(b), array[b]))).to.have.length(0);
  });

  it("rounds ties to even and overflows to infinity", () => {
    const bits = f32ToBf16(Float32Array.of(1 + 2 ** -8, 1 + 3 * 2 ** -8, 1 + 2 ** -8 + 2 ** -16));
    expect([...bf16ToF32(bits)]).to.deep.equal([1, 1 + 2 ** -6, 1 + 2 ** -7]);
    expect([...f32ToBf16(Float32Array.of(3.4028234663852886e38))]).to.deep.equal([0x7f80]);
    expect([...f32ToF16(Float32Array.of(65519, 65520, 2 ** -25, 3 * 2 ** -25))]).to.deep.equal([0x7bff, 0x7c00, 0, 2]);
  });

  it("writes the nearest value of the type", () => {
    for (const [read, write] of [
      [f16ToF32, f32ToF16],
      [bf16ToF32, f32ToBf16],
    ] as const) {
      fc.assert(
        fc.property(fc.float({ min: -65000, max: 65000, noNaN: true }), (x) => {
          const bits = write(Float32Array.of(x))[0];
          const error = Math.abs(read(Uint16Array.of(bits))[0] - x);
          for (const neighbour of [bits - 1, bits + 1]) {
            const other = read(Uint16Array.of(neighbour & 0xffff))[0];
            if (Number.isFinite(other)) expect(error).to.be.at.most(Math.abs(other - x));
          }
        }),
      );
    }
  });
});
