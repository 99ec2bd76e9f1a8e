import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { CaseKind } from "./kind.js";
import { failureLine, runCases } from "./run-cases.js";

const double: CaseKind = {
  name: "double",
  fields: ["n"],
  expectFields: ["result"],
  run({ n, expect: { result } }) {
    if (n === null) throw new Error("no number");
    return (n as number) * 2 === result ? null : { expected: result, actual: (n as number) * 2 };
  },
};

describe("the runner of conformance cases", () => {
  let folder: string;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "verl-cases-"));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  const run = (lines: unknown[], options = {}) => {
    const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
    fs.writeFileSync(path.join(folder, "x.jsonl"), `${text}\n`);
    return runCases(folder, { kinds: [double], ...options });
  };
  const good = { id: "a", kind: "double", n: 1, expect: { result: 2 }, why: "arithmetic" };

  it("counts what passes and says what was expected and what came", async () => {
    const { passed, failures } = await run([good, { ...good, id: "b", expect: { result: 3 } }]);
    expect(passed).to.equal(1);
    expect(failures.map(failureLine)).to.deep.equal(["FAIL b: expected 3, got 2"]);
  });

  it("fails what it does not understand instead of leaving it out", async () => {
    const { passed, failures } = await run([
      { ...good, kind: "triple" },
      { ...good, id: "b", m: 1 },
      { ...good, id: "c", expect: { other: 1 } },
      { ...good, id: "d", n: null },
      "{no json",
      { ...good, id: "d" },
    ]);
    expect(passed).to.equal(0);
    expect(failures.map(({ id }) => id)).to.deep.equal(["a", "b", "c", "d", "x.jsonl:5", "d"]);
  });

  it("prints a failure whose expectation or result is absent, and asks for an object to expect", async () => {
    const { failures } = await run([
      { ...good, expect: {} },
      { ...good, id: "b", expect: undefined },
      { ...good, id: "c", expect: [] },
    ]);
    expect(failures.map(failureLine)).to.deep.equal([
      "FAIL a: expected undefined, got 2",
      "FAIL b: expected an object in the field expect, got undefined",
      "FAIL c: expected an object in the field expect, got []",
    ]);
  });

  it("chooses by kind and by id, and leaves unknown kinds out only when told to", async () => {
    const lines = [good, { ...good, id: "other/b" }, { ...good, id: "c", kind: "triple" }];
    expect(await run(lines, { idPrefix: "other/" })).to.deep.equal({ passed: 1, failures: [] });
    expect(await run(lines, { kind: "double" })).to.deep.equal({ passed: 2, failures: [] });
    expect(await run(lines, { implementedOnly: true })).to.deep.equal({ passed: 2, failures: [] });
  });
});
