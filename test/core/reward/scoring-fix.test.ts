import { expect } from "chai";
import { scoringFix } from "../../../core/reward/index.js";

describe("what helps where scoring failed", () => {
  for (const [why, fix] of [
    ["VERL_REWARD_SERVER_FAILED: host answered 401 Unauthorized", "reward_model.api_key_env"],
    ["VERL_REWARD_SERVER_FAILED: host answered 404 Not Found", "reward_model.addresses and model_name"],
    ["VERL_REWARD_SERVER_FAILED: host answered 500 Oops (the last of 16 attempts)", "the server's log"],
    ["VERL_REWARD_SERVER_FAILED: host gave an answer that cannot be used", "reward_model.rollout.name"],
    ["VERL_REWARD_SERVER_UNREACHABLE: no answer from host", "start the server"],
    ["VERL_REWARD_TIMEOUT: scoring took longer than 1 s", "raise reward.timeout"],
    ["VERL_REWARD_TIMEOUT: scoring took longer than 4 s, waiting for a:1: no answer, 4 tries", "start the server"],
    ["VERL_REWARD_TIMEOUT: scoring took longer than 4 s, waiting for a:1: 429, 1 try", "the server's log"],
    ["VERL_REWARD_SERVER_FAILED: host answered 302 Found, a redirect to x", "redirects are not followed"],
    ["VERL_REWARD_SERVER_FAILED: the judge's answer has no choices: the server says x", "what the server says"],
  ]) {
    it(`is said of ${why}`, () => {
      expect(scoringFix(why).fix).to.contain(fix).and.contain("reward.on_error");
    });
  }

  it("is the function, where no server is at fault", () => {
    expect(scoringFix("VERL_REWARD_FAILED: the reward function threw: boom")).to.deep.equal({});
  });
});
