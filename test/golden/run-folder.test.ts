import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { runFolder } from "./run.js";

const tensor = (values: readonly number[]) => ({ dtype: "float64", shape: [1, values.length], data: values });
const K1 = {
  id: "a",
  fn: "kl_penalty",
  params: { kl_penalty: "k1" },
  inputs: { logprob: tensor([-1]), ref_logprob: tensor([-2]), upstream: tensor([2]) },
  outputs: { kld: tensor([1]) },
};

describe("the runner of golden vectors", () => {
  let folder: string;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "verl-golden-"));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  const run = (...files: unknown[]) => {
    for (const [i, file] of files.entries())
      fs.writeFileSync(path.join(folder, `${i}.json`), typeof file === "string" ? file : JSON.stringify(file));
    return runFolder(folder);
  };
  const file = (...cases: unknown[]) => ({ schema: 1, family: "kl", tol: { rtol: 1e-6, atol: 1e-8 }, cases });

  it("passes a right case and names what differs in a wrong one", () => {
    const { passed, failures } = run(file(K1, { ...K1, id: "b", outputs: { kld: tensor([2]) } }));
    expect(passed).to.equal(1);
    expect(failures).to.deep.equal(["b: outputs.kld[0]: 1, expected 2"]);
  });

  it("goes on after what is no case", () => {
    const { passed, failures } = run(
      file(null, 5, { fn: "kl_penalty" }, { id: "x" }, { ...K1, outputs: undefined }, K1),
    );
    expect(passed).to.equal(1);
    expect(failures.map((failure) => failure.split(":")[0])).to.deep.equal(
      [1, 2, 3, 4, 5].map((i) => `0.json, case ${i}`),
    );
  });

  it("fails a second case with one id, in another file too", () => {
    const { passed, failures } = run(file(K1), file(K1));
    expect(passed).to.equal(1);
    expect(failures).to.deep.equal(["a: a second case with this id"]);
  });

  it("fails files that it cannot read as vectors, with the reason", () => {
    const { failures } = run("{", [], { ...file(K1), schema: 2 }, file(), { ...file(K1), tol: { rtol: "x" } });
    expect(failures[0]).to.match(/^0.json: cannot be read as JSON: /);
    expect(failures.slice(1)).to.deep.equal([
      "1.json: no JSON object with a list of cases",
      "2.json: schema 2 is not known; this runner reads 1",
      "3.json: no cases",
      "4.json: tol is not {rtol, atol} with two numbers",
    ]);
  });

  it("uses the usual tolerance where a file states none", () => {
    expect(run({ ...file(K1), tol: undefined })).to.deep.equal({ passed: 1, failures: [] });
  });

  it("takes inherited names for neither a family nor a function", () => {
    const { failures } = run({ ...file(K1), family: "constructor" }, file({ ...K1, id: "b", fn: "toString" }));
    expect(failures).to.deep.equal([
      'a: unknown family "constructor"',
      'b: unknown function "toString" of family "kl"',
    ]);
  });

  it("refuses a tensor whose values do not fill its shape, also where an error is expected", () => {
    const broken = { ...K1, outputs: undefined, error: { type: "ValueError" } };
    const { failures } = run(file({ ...broken, inputs: { ...K1.inputs, logprob: { ...tensor([1]), data: [] } } }));
    expect(failures).to.deep.equal(["a: a tensor of shape [1,1] has 0 values, not 1"]);
  });
});
