import { expect } from "chai";
import fc from "fast-check";
import { decodeFields, encodeFields } from "../../../plugins/sandbox/namespaces/frames.js";

describe("plugins/sandbox/namespaces frames", () => {
  const fields = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 });

  it("come back as they were", () =>
    fc.assert(
      fc.property(fields, (list) => {
        const back = decodeFields(encodeFields(list));
        expect(back?.map((field) => [...field])).to.deep.equal(list.map((field) => [...field]));
      }),
    ));

  it("that are cut off are told from complete ones", () =>
    fc.assert(
      fc.property(fields, fc.nat({ max: 1000 }), (list, at) => {
        const bytes = encodeFields(list);
        const ends = list.map((_, i) => encodeFields(list.slice(0, i)).length).concat(bytes.length);
        const cut = Math.min(at, bytes.length);
        expect(decodeFields(bytes.subarray(0, cut)) === null).to.equal(!ends.includes(cut));
      }),
    ));

  it("hold texts as UTF-8, numbers as they print, and lists in lists", () => {
    const [text, number, inner] = decodeFields(encodeFields(["é", 1.5, ["a", 2]]))!;
    expect([text.toString(), number.toString()]).to.deep.equal(["é", "1.5"]);
    expect(decodeFields(inner)?.map(String)).to.deep.equal(["a", "2"]);
  });
});
