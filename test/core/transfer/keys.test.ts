import { expect } from "chai";
import fc from "fast-check";
import { parseKey, promptKey, promptUid, trajectoryKey, uidOfKey } from "../../../core/transfer/index.js";
import { codedError } from "./support.js";

describe("core/transfer/keys", () => {
  const uid = fc.string({ minLength: 1 }).filter((text) => !text.includes("_"));

  it("parses what it makes", () => {
    fc.assert(
      fc.property(uid, fc.nat(), fc.nat(), (id, session, index) => {
        expect(parseKey(promptKey(id))).to.deep.equal({ kind: "prompt", uid: id });
        const key = trajectoryKey(id, session, index);
        expect(parseKey(key)).to.deep.equal({ kind: "trajectory", uid: id, session, index });
        expect(uidOfKey(key)).to.equal(id);
      }),
    );
  });

  it("refuses everything else", async () => {
    for (const key of ["", "_", "a_", "a_1", "a_1_", "a_b_1_2", "_1_2", "a_01_2", "a_1.5_2", "a_-1_2", "a_1_2_3"]) {
      await codedError("VERL_QUEUE_BAD_KEY", () => parseKey(key));
    }
    await codedError("VERL_QUEUE_BAD_KEY", () => promptKey("a_b"));
    await codedError("VERL_QUEUE_BAD_KEY", () => trajectoryKey("a", -1, 0));
    await codedError("VERL_QUEUE_BAD_KEY", () => trajectoryKey("a", 0, 0.5));
  });
});

describe("core/transfer/uid", () => {
  const draw = fc.integer({ min: 0, max: 10 ** 10 - 1 });

  it("sorts as text by draw and is a key", () => {
    fc.assert(
      fc.property(fc.integer(), draw, draw, (seed, a, b) => {
        fc.pre(a !== b);
        expect(promptUid(seed, a) < promptUid(seed, b)).to.equal(a < b);
        expect(parseKey(promptUid(seed, a)).kind).to.equal("prompt");
      }),
    );
  });

  it("depends on seed, draw and stream only", () => {
    expect(promptUid(1, 5))
      .to.equal(promptUid(1, 5))
      .and.match(/^0000000005-[0-9a-f]{8}$/);
    expect(new Set([promptUid(1, 5), promptUid(2, 5), promptUid(1, 6), promptUid(1, 5, "val")]).size).to.equal(4);
  });

  it("refuses draws that it cannot order", () => {
    for (const bad of [-1, 0.5, 10 ** 10]) expect(() => promptUid(1, bad)).to.throw(RangeError);
  });
});
