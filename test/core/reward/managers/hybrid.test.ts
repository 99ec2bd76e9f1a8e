import { expect } from "chai";
import {
  createHybridRewardManager,
  createScorerIndex,
  gsm8kScorer,
  type HybridRule,
  type RewardFunction,
  type RewardManager,
  type RewardResult,
} from "../../../../core/reward/index.js";
import { managerOptions, rewardInput } from "../input.js";

const rule = (over: Partial<HybridRule>): HybridRule => ({ data_source: "*", rule: 0, function: 0, model: 0, ...over });
const model = (score: number | null): RewardManager => ({
  score: async () => ({ outcome: score === null ? "abstain" : "scored", score, extra: {} }),
  supports: () => true,
});

function hybridManager(
  hybrid: readonly HybridRule[],
  over: { customFunction?: RewardFunction; rewardModel?: RewardManager } = {},
) {
  const { find, knownDataSources } = createScorerIndex([gsm8kScorer]);
  return createHybridRewardManager(managerOptions({ hybrid, findScorer: find, knownDataSources, ...over }));
}

const RIGHT = rewardInput({ dataSource: "openai/gsm8k", solution: "#### 42" });

describe("hybrid reward manager", () => {
  it("adds the weighted scores of its parts", async () => {
    const manager = hybridManager([rule({ rule: 0.75, function: 0.5, model: 2 })], {
      customFunction: async () => ({ score: 0.5, style: "brief" }),
      rewardModel: model(-0.25),
    });
    const { outcome, score, extra } = await manager.score(RIGHT);
    expect({ outcome, score }).to.deep.equal({ outcome: "scored", score: 0.75 + 0.25 - 0.5 });
    expect(extra).to.deep.include({ rule_score: 1, function_score: 0.5, model_score: -0.25, acc: 1, style: "brief" });
  });

  it("chooses the first rule that fits the data source", async () => {
    const manager = hybridManager(
      [rule({ data_source: "openai/gsm8k", rule: 1 }), rule({ data_source: "chat*", model: 1 })],
      {
        rewardModel: model(0.3),
      },
    );
    expect((await manager.score(RIGHT)).score).to.equal(1);
    expect((await manager.score(rewardInput({ dataSource: "chat/polite" }))).score).to.equal(0.3);
    expect(() => manager.supports("poems")).to.throw("VERL_REWARD_NO_SCORER");
  });

  it("leaves out a part that abstains, abstains when all do, and fails when one fails", async () => {
    const both = [rule({ function: 1, model: 1 })];
    const with2 = (fn: RewardFunction, score: number | null) =>
      hybridManager(both, { customFunction: fn, rewardModel: model(score) }).score(rewardInput());
    expect((await with2(() => 1, null)).score).to.equal(1);
    expect(await with2(() => null, null)).to.deep.include({ outcome: "abstain", score: null });
    const failed = await with2(() => {
      throw new Error("judge is down");
    }, 1);
    expect(failed).to.deep.include({ outcome: "error", score: null });
    expect(failed.message).to.contain("judge is down");
  });

  describe("in two stages, for a model that is loaded after sampling", () => {
    const sleeping: RewardManager = {
      score: async () => {
        throw new Error("the model is not loaded");
      },
      supports: () => true,
    };
    const staged = (
      hybrid: readonly HybridRule[],
      customFunction: RewardFunction = async () => ({ score: 0.5, style: "brief" }),
    ) => hybridManager(hybrid, { customFunction, rewardModel: sleeping }).staged!;
    const given = (score: number | null): RewardResult => ({
      outcome: score === null ? "abstain" : "scored",
      score,
      extra: {},
      seconds: { queue: 0, score: 2 },
    });
    it("gives in the end what it gives at once, through a queue that holds JSON", async () => {
      const hybrid = [rule({ rule: 0.75, function: 0.5, model: 2 })];
      const scoring = staged(hybrid);
      const first = await scoring.score(RIGHT);
      expect(first).to.deep.include({ score: null });
      const { seconds, ...result } = scoring.finish(JSON.parse(JSON.stringify(first.later)), given(-0.25));
      const atOnce = hybridManager(hybrid, {
        customFunction: async () => ({ score: 0.5, style: "brief" }),
        rewardModel: model(-0.25),
      });
      const { seconds: _, ...whole } = await atOnce.score(RIGHT);
      expect(result).to.deep.equal(whole);
      expect(seconds?.score).to.equal(2);
    });

    it("asks the model only where the row's rule weighs it", async () => {
      const scoring = staged([rule({ data_source: "openai/gsm8k", rule: 1 }), rule({ model: 1 })]);
      const first = await scoring.score(RIGHT);
      expect(first).to.deep.include({ outcome: "scored", score: 1 }).and.not.have.property("later");
      const later = await scoring.score(rewardInput({ dataSource: "chat" }));
      expect(scoring.finish(later.later!, given(0.3))).to.deep.include({ outcome: "scored", score: 0.3 });
    });

    it("has failed where the first stage has, and where the model does", async () => {
      const broken = staged([rule({ function: 1, model: 1 })], () => {
        throw new Error("judge is down");
      });
      const first = await broken.score(RIGHT);
      expect(first).to.deep.include({ outcome: "error", score: null }).and.not.have.property("later");
      const scoring = staged([rule({ function: 1, model: 1 })]);
      const { later } = await scoring.score(RIGHT);
      const failed: RewardResult = { outcome: "error", score: null, extra: {}, message: "too long" };
      expect(scoring.finish(later!, failed)).to.deep.include({ outcome: "error", message: "too long" });
    });

    it("keeps what abstained: the model decides alone, or nothing is left", async () => {
      const scoring = staged([rule({ function: 1, model: 1 })], () => null);
      const { later } = await scoring.score(RIGHT);
      expect(scoring.finish(later!, given(0.3)).score).to.equal(0.3);
      expect(scoring.finish(later!, given(null))).to.deep.include({ outcome: "abstain", score: null });
    });
  });

  it("takes a part with a negative weight off the score; what it says of itself comes last", async () => {
    const manager = hybridManager([rule({ rule: -0.25, function: 1 })], {
      customFunction: async () => ({ score: 0.5, acc: 0 }),
    });
    const { score, extra } = await manager.score(RIGHT);
    expect(score).to.equal(0.25);
    expect(extra).to.deep.include({ acc: 0, rule_score: 1, function_score: 0.5 });
  });

  it("warns where a rule has negative weights alone, and not of a penalty", () => {
    const warnings: string[] = [];
    const logger = { debug() {}, info() {}, warn: (text: string) => void warnings.push(text), error() {} };
    const { find, knownDataSources } = createScorerIndex([gsm8kScorer]);
    const rest = { findScorer: find, knownDataSources, rewardModel: model(1), logger };
    createHybridRewardManager(managerOptions({ hybrid: [rule({ rule: 1, model: -0.5 })], ...rest }));
    expect(warnings).to.deep.equal([]);
    createHybridRewardManager(managerOptions({ hybrid: [rule({ rule: 1 }), rule({ model: -0.5 })], ...rest }));
    expect(warnings).to.deep.equal([
      "reward.hybrid[1] (*) has negative weights alone (model: -0.5): the model learns to score low there",
    ]);
  });

  it("fails where the sum is no finite number", async () => {
    const manager = hybridManager([rule({ function: 1e308 })], { customFunction: () => 100 });
    const { outcome, score, message } = await manager.score(rewardInput());
    expect([outcome, score]).to.deep.equal(["error", null]);
    expect(message).to.contain("the weighted sum of the parts is Infinity").and.contain("1e+308 · 100 (function)");
  });

  it("fails where the sum is beyond what training counts with", async () => {
    const manager = hybridManager([rule({ function: 1e38 })], { customFunction: () => 100 });
    const { outcome, message } = await manager.score(rewardInput());
    expect(outcome).to.equal("error");
    expect(message).to.contain("1e+40, beyond float32");
  });

  it("refuses rules that cannot be followed", () => {
    for (const [rules, words] of [
      [[], "no rules"],
      [[rule({})], "reward.hybrid[0]"],
      [[rule({ rule: -0 })], "no part has a weight"],
      [[rule({ rule: Number.NaN })], "the weight of `rule` is NaN"],
      [[rule({ rule: 1, model: Number.POSITIVE_INFINITY })], "the weight of `model` is Infinity"],
      [[rule({ rule: 1 }), rule({ function: 1 })], "custom_reward_function"],
      [[rule({ model: 1 })], "reward.reward_model.enable"],
    ] as const) {
      expect(() => hybridManager(rules))
        .to.throw("VERL_REWARD_BAD_HYBRID")
        .with.property("message")
        .that.contains(words);
    }
  });

  it("checks before the start that the rule part has a scorer", () => {
    expect(() => hybridManager([rule({ rule: 1 })]).supports("poems")).to.throw("VERL_REWARD_NO_SCORER");
  });
});
