import { expect } from "chai";
import type { JsonValue } from "../../../core/plugin.js";
import { builtinScorers, createScorerIndex } from "../../../core/reward/index.js";
import { scoreWith } from "../../core/reward/scorers/score-with.js";
import { describeSandbox } from "./support.js";

const scorer = createScorerIndex(builtinScorers).find("apps")!;
const python = (code: string) => `Here:\n\`\`\`python\n${code}\n\`\`\``;

describeSandbox("code rewards in the real sandbox", ({ sandbox }) => {
  const codesOf = async (code: string, truth: JsonValue, kwargs: Record<string, unknown> = {}) => {
    const options = { kwargs: { continuous: true, ...kwargs }, sandbox: sandbox() };
    return ((await scoreWith(scorer, python(code), truth, options)) as unknown as { codes: unknown[] }).codes;
  };

  it("tells right, wrong, failing and slow programs apart", async () => {
    const truth = { inputs: ["1", "2", "3", "4"], outputs: ["1", "4", "9", "16"] };
    const code = `
n = int(input())
if n == 2: print(5)
elif n == 3: raise ValueError(n)
else: print(n * n)
`;
    expect(await codesOf(code, truth)).to.deep.equal([true, false, -2, true]);
  });

  it("calls functions, and methods of Solution, with values of every kind", async () => {
    const truth = {
      fn_name: "echo",
      inputs: [[[1, "é\u2028"]], [12], [null]],
      outputs: [[1, "é\u2028"], [12], [null]],
    };
    expect(await codesOf("def echo(x): return x", truth)).to.deep.equal([true, true, true]);
    const method =
      "class Solution:\n    def echo(self, x: List[int]) -> Optional[int]: return tuple(x) if isinstance(x, list) else x";
    expect(await codesOf(method, truth)).to.deep.equal([true, true, true]);
  });

  it("prefers the program's own name to one that was imported for it", async () => {
    const truth = { fn_name: "search", inputs: [[[1, 2]]], outputs: [[2]] };
    expect(await codesOf("class Solution:\n    def search(self, xs): return max(xs)", truth)).to.deep.equal([true]);
    expect(await codesOf("def search(xs): return max(xs)", truth)).to.deep.equal([true]);
  });

  it("takes what a function returns, not what the program prints", async () => {
    const truth = { fn_name: "f", inputs: ["1\n2"], outputs: ["3"] };
    const code =
      'print("debugging")\ndef f(a, b):\n    print("more")\n    return a + b\nif __name__ == "__main__": f(input())';
    expect(await codesOf(code, truth)).to.deep.equal([true]);
    expect(await codesOf("def f(a, b): print(3)", truth)).to.deep.equal([false]);
    expect(await codesOf("def g(a, b): return 3", truth)).to.deep.equal([-2]);
  });

  it("runs assertions after the program", async () => {
    const truth = { assert_case: ["assert double(2) == 4", "assert double('a') == 'aa'", "assert double(2) == 5"] };
    expect(await codesOf("def double(x): return x + x", truth)).to.deep.equal([true, true, -2]);
  });

  it("does not take the end of a program for assertions that held", async () => {
    const truth = { assert_case: ["assert double(2) == 4"] };
    for (const cheat of ["import sys; sys.exit(0)", "import os; os._exit(0)", "print('ok'); raise SystemExit"]) {
      expect(await codesOf(cheat, truth)).to.deep.equal([false]);
      expect(await codesOf(cheat, truth, { compat: "verl" })).to.deep.equal([true]);
    }
  });

  it("calls functions by verl's rules: printed, and with all other output", async () => {
    const truth = { fn_name: "f", inputs: ["[3, 1]\ntrue"], outputs: ["[1, 3]"] };
    expect(await codesOf("def f(xs, up): return sorted(xs)", truth, { compat: "verl" })).to.deep.equal([true]);
    expect(
      await codesOf("def f(xs, up):\n    print(1)\n    return sorted(xs)", truth, { compat: "verl" }),
    ).to.deep.equal([false]);
    const method = "class Solution:\n    def f(self, xs, up): return up";
    const flag = { ...truth, outputs: ["true"] };
    expect(await codesOf(method, flag, { compat: "verl" })).to.deep.equal([true]);
  });

  it("keeps what is expected out of the program's reach", async () => {
    const truth = { inputs: ["question"], outputs: ["the secret answer"] };
    const code = `
import glob
for path in glob.glob("/**/*", recursive=True) if False else glob.glob("/sandbox/**", recursive=True) + glob.glob("/tmp/**") + ["/proc/self/environ"]:
    try: print(open(path, errors="replace").read())
    except OSError: pass
`;
    expect(await codesOf(code, truth)).to.deep.equal([false]);
    const { stdout } = await sandbox().run({ language: "python", code, stdin: "question" });
    expect(stdout).to.not.contain("secret answer");
  });
});
