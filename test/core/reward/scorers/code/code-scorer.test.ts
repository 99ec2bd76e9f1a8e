import { expect } from "chai";
import { isVerlError, type JsonValue, type SandboxResult, sandboxErrors } from "../../../../../core/plugin.js";
import { codeScorer } from "../../../../../core/reward/scorers/index.js";
import { createFakeSandbox, type FakeProgram } from "../../../../../testing/index.js";
import { scoreWith } from "../score-with.js";

const PROGRAM = "```python\nprint(int(input()) ** 2)\n```";
const suite = (count: number) => ({
  inputs: Array.from({ length: count }, (_, i) => `${i}\n`),
  outputs: Array.from({ length: count }, (_, i) => `${i * i}`),
});

/** Plays a program: what it does with each number. */
function grade(
  play: (n: number) => Partial<SandboxResult> | string,
  { kwargs = {}, truth = suite(3), solution = PROGRAM }: { kwargs?: object; truth?: JsonValue; solution?: string } = {},
) {
  const run: FakeProgram = ({ stdin }) => {
    const result = play(Number(Buffer.from(stdin)));
    return typeof result === "string" ? { stdout: result } : result;
  };
  const sandbox = createFakeSandbox({ run });
  const scored = scoreWith(codeScorer, solution, truth, { kwargs: { ...kwargs }, sandbox }) as Promise<Record<
    string,
    unknown
  > | null>;
  return { scored, sandbox };
}

const right = (n: number) => `${n * n}\n`;
const rightBelow = (limit: number) => (n: number) => (n < limit ? right(n) : "no");

describe("reward/scorers/code", () => {
  it("pays for a program that passes every case", async () => {
    const { scored, sandbox } = grade(right);
    expect(await scored).to.deep.equal({
      score: 1,
      acc: 1,
      passed: 3,
      considered: 3,
      codes: [true, true, true],
      format: 1,
    });
    expect(sandbox.programs.map(({ stdin }) => String(stdin))).to.deep.equal(["0\n", "1\n", "2\n"]);
  });

  it("stops at the first case that fails", async () => {
    const { scored, sandbox } = grade(rightBelow(1), { truth: suite(20) });
    expect(await scored).to.deep.include({ score: 0, acc: 0, passed: 1, considered: 20, codes: [true, false] });
    expect(sandbox.programs).to.have.length(2);
  });

  it("pays the share that passes when asked to, after all cases", async () => {
    const { scored } = grade((n) => (n % 2 === 0 ? right(n) : ""), { truth: suite(4), kwargs: { continuous: true } });
    expect(await scored).to.deep.include({ score: 0.5, acc: 0, codes: [true, false, true, false] });
  });

  it("lets a wrong program and a right one be worth something else", async () => {
    const kwargs = { score: 2, format_score: -1 };
    expect(await grade(right, { kwargs }).scored).to.include({ score: 2 });
    expect(await grade(rightBelow(1), { kwargs }).scored).to.include({ score: -1 });
    expect(await grade(rightBelow(1), { kwargs: { ...kwargs, continuous: true } }).scored).to.include({ score: 0 });
    expect(await grade(right, { kwargs, solution: "none" }).scored).to.include({ score: 0, format: 0 });
  });

  it("says how each case failed", async () => {
    const ends: Partial<SandboxResult>[] = [
      { outcome: "exit", exitCode: 1, stdout: "0" },
      { outcome: "timeout" },
      { outcome: "memory" },
      { outcome: "signal", signal: "SIGSEGV" },
      { outcome: "output-limit", stdout: "16" },
    ];
    const { scored } = grade((n) => ends[n], { truth: suite(5), kwargs: { continuous: true } });
    expect((await scored)?.codes).to.deep.equal([-2, -3, -2, -2, -2]);
  });

  it("does not compile a program again that does not compile", async () => {
    const { scored, sandbox } = grade(() => ({ outcome: "compile-error" }), { kwargs: { continuous: true } });
    expect((await scored)?.codes).to.deep.equal([-4, -4, -4]);
    expect(sandbox.programs).to.have.length(1);
  });

  it("counts the cases that are left as too slow when the time for all is over", async () => {
    const late = { kwargs: { continuous: true, total_timeout: 1e-9 } };
    expect((await grade(right, late).scored)?.codes).to.deep.equal([true, -3, -3]);
  });

  it("accepts any output where none is expected, if the program ends well", async () => {
    const truth = { inputs: ["0", "1"], outputs: [null, null] };
    const { scored } = grade((n) => (n === 0 ? "anything" : { outcome: "exit", exitCode: 1 }), { truth });
    expect((await scored)?.codes).to.deep.equal([true, -2]);
  });

  it("compares numbers by a tolerance when asked to", async () => {
    const truth = { inputs: ["3"], outputs: ["0.333333"] };
    expect(await grade(() => "0.33333333", { truth }).scored).to.include({ acc: 0 });
    expect(await grade(() => "0.33333333", { truth, kwargs: { tolerance: 1e-5 } }).scored).to.include({ acc: 1 });
  });

  it("abstains without usable test cases, before anything runs", async () => {
    for (const truth of ["no json", null, { inputs: [], outputs: [] }] as JsonValue[]) {
      const { scored, sandbox } = grade(right, { truth });
      expect(await scored).to.equal(null);
      expect(sandbox.programs).to.have.length(0);
    }
  });

  it("runs nothing for a response without a program", async () => {
    const { scored, sandbox } = grade(right, { solution: "I would print the square." });
    expect(await scored).to.deep.include({ score: 0, acc: 0, format: 0, codes: [] });
    expect(sandbox.programs).to.have.length(0);
  });

  it("does not turn a broken sandbox into a score", async () => {
    const broken = () => {
      throw sandboxErrors.VERL_SANDBOX_FAILED({ what: "it broke" });
    };
    const error = await grade(broken).scored.catch((e: unknown) => e);
    expect(isVerlError(error) && error.code).to.equal("VERL_SANDBOX_FAILED");
  });

  it("refuses to call Python functions in another language", async () => {
    const truth = { fn_name: "f", inputs: [[1]], outputs: [1] };
    const options = { truth, solution: "```js\nf = (x) => x\n```", kwargs: { language: "javascript" } };
    const error = await grade(right, options).scored.catch((e: Error) => e);
    expect(error).to.be.an("error").with.property("message").that.contains("language is javascript");
  });

  describe("by verl's rules", () => {
    const kwargs = { compat: "verl" };

    it("pays the share of the first ten cases that passes", async () => {
      const { scored, sandbox } = grade(rightBelow(4), { truth: suite(12), kwargs });
      expect(await scored).to.deep.include({ score: 0.4, passed: 4, considered: 10 });
      expect(sandbox.programs).to.have.length(10);
    });

    it("forgives newlines at the end of the output alone", async () => {
      expect(await grade((n) => `${n * n}\n\n`, { kwargs }).scored).to.include({ score: 1 });
      expect(await grade((n) => `${n * n} `, { kwargs }).scored).to.include({ score: 0 });
    });

    it("counts a broken sandbox as −1", async () => {
      const broken = () => {
        throw sandboxErrors.VERL_SANDBOX_FAILED({ what: "it broke" });
      };
      expect((await grade(broken, { kwargs }).scored)?.codes).to.deep.equal([-1, -1, -1]);
    });

    it("scores 0 without test cases, and without a fence", async () => {
      expect(await grade(right, { kwargs, truth: "no json" }).scored).to.include({ score: 0 });
      expect(await grade(right, { kwargs, solution: "print(1)" }).scored).to.include({ score: 0 });
    });
  });
});
