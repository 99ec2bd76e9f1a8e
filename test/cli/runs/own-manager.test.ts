import { expect } from "chai";
import { FAKE_PLUGIN } from "../../core/trainer/support/child.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { TOY_OVERRIDES } from "../../core/trainer/support/toy-task.js";
import { cli } from "../support.js";

const OWN = `export class Own {
  static create({ llmClient, tokenizer, seed }) {
    return {
      async generateSequences({ prompts, signal }) {
        for (const { uid, messages, sessions, sampling, ...prompt } of prompts) {
          const promptIds = tokenizer.encodeChat(messages, { addGenerationPrompt: true });
          for (let session = 0; session < sessions; session++) {
            const request = { requestId: uid + "_" + session, promptIds, sampling, seed };
            llmClient.generate(request, { signal }).then((answer) => prompt.deliver(session, {
              promptIds,
              responseIds: answer.tokenIds,
              responseMask: answer.tokenIds.map(() => 1),
              responseLogProbs: answer.logProbs,
              numTurns: 2,
              stopReason: answer.stopReason,
              minWeightVersion: answer.minWeightVersion,
              maxWeightVersion: answer.maxWeightVersion,
              metrics: { generateSequences: 0, toolCalls: 0, computeScore: 0, numPreempted: -1 },
              extraFields: {},
            }), (error) => prompt.fail(session, error));
          }
        }
      },
    };
  }
}`;

const SCORED = OWN.replace("static create", "static scoresItself = true;\n  static create").replace(
  "extraFields: {}",
  "extraFields: {}, rewardScore: answer.tokenIds.length / 4",
);

const KEY = "actor_rollout_ref.rollout.agent.agent_loop_manager_class";

async function train(manager: string, overrides: readonly string[] = [], source = OWN) {
  await using folder = await ToyFolder.create();
  await folder.write("own.mjs", source);
  const all = [...TOY_OVERRIDES, "trainer.logger=[jsonl]", `${KEY}='${manager}'`, ...overrides];
  const { code, stderr } = await cli(["train", ...all], {
    cwd: folder.dir,
    env: { VERL_USE_EXTERNAL_MODULES: FAKE_PLUGIN },
  });
  const metrics = code === 0 ? await folder.read("run", "metrics.jsonl") : "";
  // Times and memory aside, which no two runs share.
  const rewards = [...metrics.matchAll(/"critic\/score\/mean":([^,}]+)/g)].map(([, value]) => Number(value));
  return { code, stderr, rewards };
}

describe("verl train with an agent-loop manager of one's own", () => {
  it("trains as with the built-in one, for the draws are the same", async () => {
    const own = await train("./own.mjs#Own");
    expect(own.code, own.stderr).to.equal(0);
    expect(own.rewards).to.have.length(3);
    expect(own.rewards).to.deep.equal((await train("default")).rewards);
  });

  it("needs no scorer where the manager scores its trajectories and says so", async () => {
    const noScorer = ["reward.custom_reward_function.path=null"];
    const scored = await train("./own.mjs#Own", noScorer, SCORED);
    expect(scored.code, scored.stderr).to.equal(0);
    expect(scored.rewards).to.have.length(3);
    expect((await train("./own.mjs#Own", noScorer)).stderr).to.contain("VERL_REWARD_NO_SCORER");
  });

  it("names a manager that does nothing when the wait for its prompts is over", async () => {
    const idle = "export class Own { static create() { return { generateSequences() {} }; } }";
    const { code, stderr } = await train("./own.mjs#Own", ["trainer.sample_deadline_s=0.2"], idle);
    expect(code).to.equal(1);
    expect(stderr).to.match(/VERL_REPLAY_TIMEOUT/);
    expect(stderr).to.match(/0 of 4 prompt groups had ended after [\d.]+ s; 4 wait for the manager \.\/own\.mjs#Own/);
    expect(stderr).to.match(/fix: +let the agent-loop manager deliver or fail every session/);
    expect(stderr).to.not.include("disposed");
  });

  it("says how a class is named to whoever names a file alone, or a module as Python does", async () => {
    for (const [manager, fix] of [
      ["./own.mjs", "./own.mjs#MyManager"],
      ["my.package.Own", "./manager.ts#MyManager"],
    ]) {
      const { code, stderr } = await train(manager);
      expect(code).to.not.equal(0);
      expect(stderr).to.contain("VERL_CONFIG_NAME").and.contain("file#Class").and.contain(fix);
    }
  });

  for (const [manager, expected] of [
    ["./own.mjs#", "VERL_AGENT_BAD_MANAGER"],
    ["./nowhere.mjs#Own", "VERL_CONFIG_FILE_MISSING"],
    ["./own.mjs#Other", "VERL_USER_EXPORT_MISSING"],
    ["unknown", "VERL_CONFIG_NAME"],
  ]) {
    it(`refuses ${manager} with ${expected}`, async () => {
      const { code, stderr } = await train(manager);
      expect(code).to.not.equal(0);
      expect(stderr).to.contain(expected);
    });
  }
});
