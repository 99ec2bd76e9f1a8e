import * as zlib from "node:zlib";
import { expect } from "chai";
import { crc32 } from "../../../../core/host/util/crc32.js";

describe("core/host/util/crc32", () => {
  it("is that of zip: of the check text, of nothing, and of every byte", () => {
    expect(crc32(Buffer.from("123456789"))).to.equal(0xcbf43926);
    expect(crc32(new Uint8Array())).to.equal(0);
    const bytes = Uint8Array.from({ length: 1024 }, (_, i) => i);
    // The last eight bytes of a gzip file begin with it.
    expect(crc32(bytes)).to.equal(zlib.gzipSync(bytes).subarray(-8).readUInt32LE(0));
  });
});
