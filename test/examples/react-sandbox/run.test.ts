import { expect } from "chai";
import { isVerlError } from "../../../core/host/index.js";
import { explained, requireSandbox } from "../../../examples/react-sandbox/require-sandbox.js";
import { runExample } from "../run-example.js";

/** Null, or why this machine has no sandbox. */
const refusal = await requireSandbox("namespaces").then(
  () => null,
  (error: unknown) => error,
);

describe("examples/react-sandbox", () => {
  it("trains with the sandbox, or refuses with a code and names the way around it", async function () {
    this.timeout(240_000);
    if (refusal !== null) {
      expect(isVerlError(refusal) && refusal.code).to.equal("VERL_SANDBOX_UNAVAILABLE");
      expect(explained(refusal)).to.include("--calculator");
      return;
    }
    await runExample("react-sandbox", ["--items", "4"], async ({ result, steps }) => {
      expect(result).to.include.keys("start", "end", "usedToolAtStart", "usedToolAtEnd", "control");
      expect(await steps("grpo")).to.have.length(2);
      expect(await steps("without-tool")).to.have.length(2);
    });
  });

  it("trains with a calculator in the tool's place", async function () {
    this.timeout(240_000);
    await runExample("react-sandbox", ["--calculator", "--items", "4"], async ({ result, read }) => {
      expect(result.start).to.be.within(0, 1);
      expect(await read("curve.svg"))
        .to.include("with the calculator")
        .and.include("programs are not run");
    });
  });

  it("says what is missing where there is no sandbox", async () => {
    const error = await requireSandbox("sandbox_fusion").catch((e: unknown) => e);
    expect(explained(error)).to.match(/^VERL_SANDBOX_UNAVAILABLE: .*\n {2}why: .*\n {2}fix: .*--calculator/);
  });
});
