import { expect } from "chai";
import { KINDS } from "./kinds/index.js";
import { failureLine, runCases } from "./run-cases.js";

describe("conformance cases", () => {
  for (const { name } of KINDS) {
    it(name, async () => {
      const { passed, failures } = await runCases("test/cases", { kinds: KINDS, kind: name });
      expect(failures.map(failureLine)).to.deep.equal([]);
      expect(passed).to.be.greaterThan(0);
    });
  }
});
