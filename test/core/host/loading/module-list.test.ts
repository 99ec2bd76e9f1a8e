import { expect } from "chai";
import fc from "fast-check";
import { parseModuleList } from "../../../../core/host/index.js";

describe("VERL_USE_EXTERNAL_MODULES", () => {
  it("is empty when unset", () => {
    expect(parseModuleList(undefined)).to.deep.equal([]);
  });

  it("gives back what was joined, whatever white space surrounds it", () => {
    const name = fc.stringMatching(/^[A-Za-z@./:\\~-]([A-Za-z0-9@./:\\~ -]*[A-Za-z0-9])?$/);
    const space = fc.constantFrom("", " ", "\t", " \n");
    fc.assert(
      fc.property(fc.uniqueArray(name), space, space, (names, before, after) => {
        expect(parseModuleList(names.map((n) => before + n + after).join(","))).to.deep.equal(names);
      }),
    );
  });
});
