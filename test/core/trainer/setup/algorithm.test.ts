import { expect } from "chai";
import { type AdvantageEstimator, type PolicyLossFactory, policyLoss, policyShare } from "../../../../core/plugin.js";
import { recordingEngine } from "../support/events.js";
import { ToyFolder } from "../support/toy-run.js";

describe("core/trainer algorithm", () => {
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  describe("updates", () => {
    const updates = async (...overrides: string[]) => {
      const events: string[] = [];
      const { tracker } = await folder.train({
        overrides: [...overrides, "actor_rollout_ref.actor.strategy=noted"],
        register: (host) => host.engines.register(recordingEngine(events)),
      });
      return { count: events.filter((event) => event === "step").length, tracker };
    };

    it("are one a step by default", async () => {
      expect((await updates()).count).to.equal(3);
    });

    it("are as many as mini-batches and passes say", async () => {
      const { count } = await updates(
        "actor_rollout_ref.actor.ppo_mini_batch_size=2",
        "actor_rollout_ref.actor.ppo_epochs=3",
      );
      expect(count).to.equal(3 * 2 * 3);
    });

    it("row 31: see every sample once a pass: prompts x n, whatever the mini-batches are", async () => {
      await updates(
        "actor_rollout_ref.actor.ppo_mini_batch_size=2",
        "actor_rollout_ref.actor.ppo_epochs=3",
        "trainer.rollout_data_dir=dump",
      );
      for (const step of [1, 2, 3]) {
        expect((await folder.read("dump", `${step}.jsonl`)).trim().split("\n")).to.have.length(4 * 4);
      }
    });

    it("advance the learning rate once a step, however many there are", async () => {
      const { tracker } = await updates(
        "trainer.total_training_steps=4",
        "actor_rollout_ref.actor.ppo_mini_batch_size=1",
        "actor_rollout_ref.actor.optim.lr=0.4",
        "actor_rollout_ref.actor.optim.lr_warmup_steps=4",
      );
      const rates = tracker.series("actor/lr");
      expect(rates).to.have.length(4);
      for (const [i, rate] of rates.entries()) expect(rate).to.be.closeTo(0.1 * i, 1e-12);
    });

    it("leave the actor alone before critic_warmup", async () => {
      const { count, tracker } = await updates("trainer.critic_warmup=2");
      expect(count).to.equal(2);
      expect(tracker.steps.map(({ metrics }) => "actor/pg_loss" in metrics)).to.deep.equal([false, true, true]);
    });

    it("are those of the mini-batches in another order with shuffle", async () => {
      const run = async (...more: string[]) =>
        (await updates("trainer.total_training_steps=2", "actor_rollout_ref.actor.ppo_mini_batch_size=1", ...more))
          .tracker;
      const plain = await run();
      const shuffled = await run("actor_rollout_ref.actor.shuffle=true", "actor_rollout_ref.actor.data_loader_seed=3");
      expect(shuffled.series("critic/score/mean")[0]).to.equal(plain.series("critic/score/mean")[0]);
      expect(shuffled.series("actor/grad_norm")[0]).to.not.equal(plain.series("actor/grad_norm")[0]);
    });

    it("do not depend on micro-batches", async () => {
      const run = async (...more: string[]) => (await updates(...more)).tracker.series("actor/grad_norm");
      const whole = await run();
      const split = await run(
        "actor_rollout_ref.actor.use_dynamic_bsz=false",
        "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2",
        "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4",
      );
      for (const [i, norm] of split.entries()) expect(norm).to.be.closeTo(whole[i], 1e-6 * whole[i]);
    });
  });

  describe("skip_zero_advantage", () => {
    it("changes what is computed, not the update", async () => {
      const run = async (...more: string[]) => (await folder.train({ overrides: more })).tracker;
      const [all, skipped] = [await run(), await run("actor_rollout_ref.actor.skip_zero_advantage=true")];
      const norms = all.series("actor/grad_norm");
      for (const [i, norm] of skipped.series("actor/grad_norm").entries()) {
        expect(norm).to.be.closeTo(norms[i], 1e-6 * norms[i]);
      }
      expect(skipped.series("critic/score/mean")).to.deep.equal(all.series("critic/score/mean"));
    });

    it("is refused where such trajectories have a gradient", async () => {
      const { error } = await folder.fail({
        overrides: ["actor_rollout_ref.actor.skip_zero_advantage=true", "actor_rollout_ref.actor.entropy_coeff=0.01"],
      });
      expect(error.code).to.equal("VERL_CONFIG_CONFLICT");
    });
  });

  describe("KL to the reference", () => {
    it("in the reward is subtracted per token with the controller's coefficient", async () => {
      const { tracker } = await folder.train({
        overrides: [
          "algorithm.use_kl_in_reward=true",
          "algorithm.kl_ctrl.kl_coef=0.5",
          "actor_rollout_ref.actor.optim.lr=1",
        ],
      });
      const kl = tracker.series("actor/reward_kl_penalty");
      expect(kl[0], "the actor starts as the reference").to.equal(0);
      expect(kl[2]).to.not.equal(0);
      expect(tracker.series("actor/reward_kl_penalty_coeff")).to.deep.equal([0.5, 0.5, 0.5]);
      const [scores, rewards] = ["critic/score/mean", "critic/rewards/mean"].map((name) => tracker.series(name));
      expect(rewards[0]).to.equal(scores[0]);
      expect(rewards[2]).to.not.equal(scores[2]);
      expect(tracker.series("timing_s/ref")).to.have.length(3);
    });

    it("in the reward adapts, and the controller is part of the checkpoint", async () => {
      const adaptive = [
        "algorithm.use_kl_in_reward=true",
        "algorithm.kl_ctrl.type=adaptive",
        "algorithm.kl_ctrl.horizon=160",
        "algorithm.kl_ctrl.target_kl=0.0001",
        "actor_rollout_ref.actor.optim.lr=1",
        "trainer.save_freq=2",
      ];
      const { tracker: whole } = await folder.train({ overrides: [...adaptive, "trainer.total_training_steps=4"] });
      const coefficients = whole.series("actor/reward_kl_penalty_coeff");
      expect(new Set(coefficients).size).to.equal(4);

      await using other = await ToyFolder.create();
      await other.train({ overrides: [...adaptive, "trainer.total_training_steps=2"] });
      const { tracker: resumed } = await other.train({ overrides: [...adaptive, "trainer.total_training_steps=4"] });
      expect(resumed.series("actor/reward_kl_penalty_coeff")).to.deep.equal(coefficients.slice(2));
    });

    it("as a loss is reported with its coefficient and holds the actor back", async () => {
      const loss = ["actor_rollout_ref.actor.use_kl_loss=true", "actor_rollout_ref.actor.ppo_epochs=4"];
      const run = async (coefficient: number) =>
        (
          await folder.train({
            overrides: [
              ...loss,
              `actor_rollout_ref.actor.kl_loss_coef=${coefficient}`,
              "actor_rollout_ref.actor.optim.lr=0.5",
              "trainer.total_training_steps=6",
            ],
          })
        ).tracker;
      const free = await run(0);
      const held = await run(100);
      expect(held.series("actor/kl_coef")[0]).to.equal(100);
      const last = (tracker: typeof free) => tracker.series("actor/kl_loss")[5];
      expect(last(free)).to.be.above(0);
      expect(last(held)).to.be.below(last(free) / 2);
    });
  });

  it("an entropy bonus keeps the entropy up", async () => {
    const run = async (coefficient: number) =>
      (
        await folder.train({
          overrides: [
            `actor_rollout_ref.actor.entropy_coeff=${coefficient}`,
            "actor_rollout_ref.actor.optim.lr=0.5",
            "trainer.total_training_steps=6",
          ],
        })
      ).tracker;
    const plain = await run(0);
    const bonus = await run(1);
    expect(plain.steps[0].metrics).to.not.include.keys("actor/entropy_loss");
    expect(bonus.series("actor/entropy_loss")[0]).to.be.closeTo(plain.series("actor/entropy")[0], 1e-5);
    expect(bonus.series("actor/entropy")[5]).to.be.above(plain.series("actor/entropy")[5]);
  });

  it("T17: groups whose samples score alike are counted and move nothing", async () => {
    await folder.write("reward.mjs", "export const compute_score = () => 1;");
    const { tracker } = await folder.train();
    expect(tracker.series("training/uniform_groups")).to.deep.equal([4, 4, 4]);
    expect(tracker.series("actor/grad_norm")).to.deep.equal([0, 0, 0]);
    expect(tracker.series("critic/advantages/max")).to.deep.equal([0, 0, 0]);
  });

  describe("rollout correction", () => {
    const correction = (...keys: string[]) => keys.map((key) => `algorithm.rollout_correction.${key}`);

    it("bypass mode makes no forward pass of its own and measures the gap in the first update", async () => {
      const { tracker } = await folder.train({
        overrides: [...correction("bypass_mode=true"), "actor_rollout_ref.actor.ppo_mini_batch_size=2"],
      });
      for (const { metrics } of tracker.steps) {
        expect(metrics).to.not.include.keys("timing_s/old_log_prob", "actor/entropy");
        expect(metrics).to.include.keys("training/sampler_gap/max", "rollout_corr/kl", "actor/pg_loss");
        expect(metrics["training/sampler_gap/max"]).to.be.below(1e-6);
      }
    });

    it("bypass mode trains as the decoupled mode does where sampler and trainer agree", async () => {
      const norms = async (...overrides: string[]) =>
        (await folder.train({ overrides })).tracker.series("actor/grad_norm");
      const decoupled = await norms();
      const bypass = await norms(...correction("bypass_mode=true"));
      for (const [i, norm] of bypass.entries()) expect(norm).to.be.closeTo(decoupled[i], 1e-5 * decoupled[i] + 1e-9);
    });

    /** A sampler that is off by a factor: what it says it drew with 20 % was drawn with 10 %. */
    const boastful = (...overrides: string[]) =>
      folder.train({
        overrides: [
          ...overrides,
          "trainer.total_training_steps=1",
          "actor_rollout_ref.rollout.agent.default_agent_loop=boastful",
        ],
        register: (host) =>
          host.agentLoops.register({
            name: "boastful",
            create: ({ client, encodePrompt, trajectoryId, sampling, seed, signal }) => ({
              async run({ messages }) {
                const promptIds = encodePrompt(messages);
                const drawn = await client.generate({ requestId: trajectoryId, promptIds, sampling, seed }, { signal });
                const off = trajectoryId.endsWith("_0") ? Math.log(2) : 0;
                return {
                  promptIds,
                  responseIds: drawn.tokenIds,
                  responseMask: drawn.tokenIds.map(() => 1 as const),
                  responseLogProbs: drawn.logProbs?.map((p) => p + off) ?? null,
                  numTurns: 2,
                  stopReason: drawn.stopReason,
                  minWeightVersion: drawn.minWeightVersion,
                  maxWeightVersion: drawn.maxWeightVersion,
                  metrics: { generateSequences: 0, toolCalls: 0, computeScore: 0, numPreempted: -1 },
                  extraFields: {},
                };
              },
            }),
          }),
      });

    it("weights change the update and are reported", async () => {
      const plain = await boastful();
      const weighted = await boastful(...correction("rollout_is=token"));
      expect(plain.metrics).to.not.include.keys("rollout_corr/rollout_is_mean");
      expect(weighted.metrics["rollout_corr/rollout_is_min"]).to.be.closeTo(0.5, 1e-5);
      expect(weighted.metrics["rollout_corr/rollout_is_max"]).to.be.closeTo(1, 1e-5);
      expect(weighted.metrics["actor/grad_norm"]).to.not.be.closeTo(plain.metrics["actor/grad_norm"], 1e-6);
      expect(plain.metrics["training/sampler_gap/max"]).to.be.closeTo(Math.log(2), 1e-5);
    });

    it("rejected trajectories leave training and the statistics of their group", async () => {
      const kept = await boastful(...correction("rollout_rs=seq_mean_k1", "rollout_rs_threshold='0.9_1.1'"));
      expect(kept.metrics["training/untrainable/rejected"]).to.equal(4);
      expect(kept.metrics["rollout_corr/rollout_rs_seq_masked_fraction"]).to.equal(0.25);
      expect(kept.metrics["critic/score/mean"], "scores are reported of all").to.equal(
        (await boastful()).metrics["critic/score/mean"],
      );
    });

    const REJECT_ALL = correction("rollout_rs=token_k1", "rollout_rs_threshold='1.5_1.6'");

    it("row 28: that rejects everything updates nothing, says so, and fails where every step was like that", async () => {
      const { tracker, log, error } = await folder.fail({ overrides: REJECT_ALL });
      for (const { metrics } of tracker.steps) {
        expect(metrics["training/untrainable/rejected"]).to.equal(16);
        expect(metrics).to.not.include.keys("actor/pg_loss");
      }
      expect(log.join("\n")).to.include("rejected all 16 trajectories");
      expect(error.code).to.equal("VERL_TRAINER_NO_TRAINABLE");
      expect(error.message).to.include("no trainable tokens in 3 of 3 steps");
    });

    it("that leaves too few tokens for the estimator skips the step instead of ending the run", async () => {
      const { error, log, tracker } = await folder.fail({
        overrides: [...REJECT_ALL, "algorithm.adv_estimator=reinforce_plus_plus"],
      });
      expect(log.join("\n")).to.include("reinforce_plus_plus cannot be computed, nothing is updated");
      expect(tracker.steps).to.have.length(3);
      expect(error.code).to.equal("VERL_TRAINER_NO_TRAINABLE");
    });

    it("keeps rejected trajectories in the denominators where that is asked for", async () => {
      const rejection = correction("rollout_rs=seq_mean_k1", "rollout_rs_threshold='0.9_1.1'");
      const left = await boastful(...rejection);
      const counted = await boastful(...rejection, ...correction("count_rejected_tokens=true"));
      const [a, b] = [left, counted].map(({ metrics }) => metrics["actor/grad_norm"]);
      expect(b).to.be.below(0.9 * a);
    });

    it("with a threshold that makes no sense is refused before anything starts", async () => {
      const { error, tracker, log } = await folder.fail({
        overrides: correction("rollout_rs=seq_mean_k3", "rollout_rs_threshold='0.5_2'"),
      });
      expect(error.code).to.equal("VERL_CONFIG_TYPE");
      expect(error.message).to.include("algorithm.rollout_correction.rollout_rs_threshold");
      expect(error.message).to.include("seq_mean_k3 takes one upper bound");
      // Not even a tracker was made.
      expect({ tracker, log }).to.deep.equal({ tracker: undefined, log: [] });
    });
  });

  describe("what the estimator needs", () => {
    it("is refused where it cannot be had: gae", async () => {
      const { error } = await folder.fail({ overrides: ["algorithm.adv_estimator=gae", "critic.enable=false"] });
      expect(error.code).to.equal("VERL_TRAINER_NEEDS_UNMET");
      expect(error.message).to.include("critic");
    });

    it("is the score of a greedy response to every prompt: remax", async () => {
      await folder.write("reward.mjs", "export const compute_score = ({ extraInfo }) => extraInfo.index + 1;");
      const { tracker } = await folder.train({ overrides: ["algorithm.adv_estimator=remax"] });
      for (const { metrics } of tracker.steps) {
        expect(metrics).to.include.keys("timing_s/gen_max");
        expect(metrics["training/untrainable/no_baseline"]).to.equal(0);
        // Whatever is answered scores alike, so that nothing is left over the baseline.
        expect(metrics["critic/score/mean"]).to.be.above(1);
        expect([metrics["critic/advantages/max"], metrics["critic/advantages/min"]]).to.deep.equal([0, 0]);
      }
    });

    it("leaves out the prompts whose greedy response has no score: remax", async () => {
      // Greedy responses are scored after the step's own: those to even rows abstain.
      await folder.write(
        "reward.mjs",
        "let n = 0; export const compute_score = ({ extraInfo }) => n++ % 20 >= 16 && extraInfo.index % 2 === 0 ? null : n % 3;",
      );
      const { tracker, log } = await folder.train({ overrides: ["algorithm.adv_estimator=remax"] });
      const without = tracker.series("training/untrainable/no_baseline");
      expect(without.reduce((a, b) => a + b)).to.be.above(0);
      expect(without.every((n) => n % 4 === 0)).to.equal(true);
      expect(log.join("\n")).to.include("have no greedy baseline");
    });

    for (const name of ["reinforce_plus_plus", "optimal_token_baseline"]) {
      it(`is given: ${name}`, async () => {
        const { tracker } = await folder.train({
          overrides: [`algorithm.adv_estimator=${name}`, "trainer.total_training_steps=1"],
        });
        expect(Math.max(...tracker.series("actor/grad_norm"))).to.be.above(0);
      });
    }

    it("Σπ² comes with the variance proxies", async () => {
      const { metrics } = await folder.train({
        overrides: ["actor_rollout_ref.actor.calculate_sum_pi_squared=true", "trainer.total_training_steps=1"],
      });
      expect(metrics).to.include.keys("variance_proxy/proxy2_total_power", "variance_proxy/expected_w");
    });
  });

  describe("from a plugin", () => {
    /** The score over the mean of the others, as in rloo, written by somebody else. */
    const leaveOneOut: AdvantageEstimator = {
      name: "mine",
      needs: [],
      compute({ responseOffsets: offsets, responseMask, tokenLevelRewards, groupIds }) {
        const scores = groupIds.map((_, b) => tokenLevelRewards[offsets[b + 1] - 1]);
        const advantages = new Float64Array(responseMask.length);
        groupIds.forEach((id, b) => {
          const others = scores.filter((_, other) => other !== b && groupIds[other] === id);
          const baseline = others.reduce((sum, score) => sum + score, 0) / others.length;
          for (let r = offsets[b]; r < offsets[b + 1]; r++) advantages[r] = responseMask[r] * (scores[b] - baseline);
        });
        return { advantages, returns: advantages };
      },
    };

    it("an estimator is found by its name and its advantages are trained on", async () => {
      const norms = async (name: string) =>
        (
          await folder.train({
            overrides: [`algorithm.adv_estimator=${name}`],
            register: (host) => host.advantageEstimators.register(leaveOneOut),
          })
        ).tracker.series("actor/grad_norm");
      const [mine, builtin] = [await norms("mine"), await norms("rloo")];
      for (const [i, norm] of mine.entries()) expect(norm).to.be.closeTo(builtin[i], 1e-5 * builtin[i]);
    });

    const losses: PolicyLossFactory[] = [
      {
        name: "mine",
        create: (config) =>
          policyLoss("mine", config, (g) => ({
            loss: policyShare(g, g.neg(g.mul(g.column("advantages"), g.output("logProb"))), config),
            metrics: { "mine/top": { value: g.output("logProb"), reduction: "max" } },
          })),
      },
      {
        name: "opaque",
        create: () => ({
          kind: "opaque",
          name: "opaque",
          scope: "token",
          outputs: ["logProb"],
          compute({ outputs, columns, responseMask, counts }) {
            const advantages = columns.get("advantages")!.data;
            const share = Array.from(responseMask, (m, r) => (m ? -advantages[r] / counts.batchNumTokens : 0));
            return {
              loss: share.reduce((sum, w, r) => sum + (w === 0 ? 0 : w * outputs.logProb![r]), 0),
              metrics: {},
              gradients: { logProb: Float32Array.from(share) },
            };
          },
        }),
      },
    ];
    for (const name of ["mine", "opaque"]) {
      it(`a policy loss is found by its name and trains as the built-in one of its formula: ${name}`, async () => {
        const run = async (mode: string) =>
          (
            await folder.train({
              overrides: [`actor_rollout_ref.actor.policy_loss.loss_mode=${mode}`],
              register: (host) => {
                for (const loss of losses) host.policyLosses.register(loss);
              },
            })
          ).tracker;
        const [mine, builtin] = [await run(name), await run("gpg")];
        const expected = builtin.series("actor/grad_norm");
        for (const [i, norm] of mine.series("actor/grad_norm").entries()) {
          expect(norm).to.be.closeTo(expected[i], 1e-5 * expected[i]);
        }
        if (name === "mine") for (const top of mine.series("mine/top")) expect(top).to.be.below(0);
      });
    }
  });

  it("trains with a policy loss whose statistics range over the mini-batch", async () => {
    const { tracker } = await folder.train({
      overrides: [
        "actor_rollout_ref.actor.policy_loss.loss_mode=clip_cov",
        "actor_rollout_ref.actor.use_dynamic_bsz=false",
        "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4",
      ],
    });
    for (const loss of tracker.series("actor/pg_loss")) expect(loss).to.satisfy(Number.isFinite);
    expect(tracker.series("actor/skipped_updates")).to.deep.equal([0, 0, 0]);
  });
});
