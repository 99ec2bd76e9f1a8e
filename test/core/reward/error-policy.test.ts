import { expect } from "chai";
import { parseErrorPolicy, type RewardResult, withErrorPolicy } from "../../../core/reward/index.js";
import { rewardInput } from "./input.js";

const failure: RewardResult = { outcome: "error", score: null, extra: {}, message: "boom" };
const success: RewardResult = { outcome: "scored", score: 1, extra: { acc: 1 } };

/** A manager that answers with the given results in turn. */
function scripted(results: RewardResult[]) {
  const manager = { calls: 0, supports: () => true, score: async () => results[manager.calls++] };
  return manager;
}

describe("reward error policy", () => {
  it("reads every form", () => {
    expect(parseErrorPolicy("fail")).to.deep.equal({ retries: 0, action: "fail" });
    expect(parseErrorPolicy("zero")).to.deep.equal({ retries: 0, action: "zero" });
    expect(parseErrorPolicy("drop_group")).to.deep.equal({ retries: 0, action: "drop_group" });
    expect(parseErrorPolicy("retry", 3)).to.deep.equal({ retries: 3, action: "fail" });
    expect(parseErrorPolicy("retry(5)")).to.deep.equal({ retries: 5, action: "fail" });
    expect(parseErrorPolicy("retry(1) zero")).to.deep.equal({ retries: 1, action: "zero" });
    for (const bad of ["", "ignore", "retry(x)", "zero zero"]) {
      expect(() => parseErrorPolicy(bad), bad).to.throw("VERL_REWARD_BAD_POLICY");
    }
  });

  it("zero: the failed one of eight gets the score 0 and stays flagged", async () => {
    const results = Array.from({ length: 8 }, (_, i) => (i === 3 ? failure : success));
    const manager = withErrorPolicy(scripted(results), parseErrorPolicy("zero"));
    const scored = await Promise.all(results.map(() => manager.score(rewardInput())));
    expect(scored.map((r) => r.score)).to.deep.equal([1, 1, 1, 0, 1, 1, 1, 1]);
    expect(scored.map((r) => r.outcome).filter((o) => o !== "scored")).to.deep.equal(["error"]);
    expect(scored[3].message).to.equal("boom");
  });

  it("retry: tries again until it works", async () => {
    const inner = scripted([failure, { ...failure, outcome: "timeout" }, success]);
    expect(await withErrorPolicy(inner, parseErrorPolicy("retry(2)")).score(rewardInput())).to.equal(success);
    expect(inner.calls).to.equal(3);
  });

  it("retry: gives up after the last attempt", async () => {
    const inner = scripted([failure, failure, failure, failure]);
    const result = await withErrorPolicy(inner, parseErrorPolicy("retry(2)")).score(rewardInput());
    expect(result).to.deep.include({ outcome: "error", score: null });
    expect(inner.calls).to.equal(3);
  });

  it("goes for scores of any manager that float32 does not hold, and for values that are trained on", async () => {
    for (const [result, words] of [
      [{ ...success, score: 1e39 }, "its score is 1e+39, beyond float32"],
      [{ ...success, score: -1e308 }, "its score is -1e+308, beyond float32"],
      [{ ...success, extra: { style: 1e39 } }, 'its value "style" is 1e+39, beyond float32'],
      [{ ...success, extra: { style: Number.NaN } }, 'its value "style" is NaN'],
    ] as const) {
      const scored = await withErrorPolicy(scripted([result]), parseErrorPolicy("zero"), ["style"]).score(
        rewardInput(),
      );
      expect(scored).to.deep.include({ outcome: "error", score: 0 });
      expect(scored.message).to.contain(words).and.contain("train.jsonl:12");
    }
    const other = { ...success, extra: { other: 1e39 } };
    expect(await withErrorPolicy(scripted([other]), parseErrorPolicy("zero"), ["style"]).score(rewardInput())).to.equal(
      other,
    );
  });

  it("does not try an abstention again", async () => {
    const inner = scripted([{ outcome: "abstain", score: null, extra: {} }]);
    expect((await withErrorPolicy(inner, parseErrorPolicy("retry(2) zero")).score(rewardInput())).score).to.equal(null);
    expect(inner.calls).to.equal(1);
  });
});
