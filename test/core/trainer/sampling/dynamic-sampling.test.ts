import { expect } from "chai";
import fc from "fast-check";
import { DynamicSampling } from "../../../../core/trainer/sampling/dynamic-sampling.js";
import type { EndedGroup } from "../../../../core/trainer/sampling/sampled-group.js";
import type { TrainingRow } from "../../../../core/trainer/step/training-row.js";
import { ToyFolder } from "../support/toy-run.js";
import { scriptedLoop, trajectory } from "../support/trajectory.js";

const FILTER = ["algorithm.filter_groups.enable=true", "algorithm.filter_groups.metric=acc"];

/** A third of the prompts is always solved, a third never; the rest depends on the response. */
const MIXED = `export const compute_score = ({ solution, extraInfo }) => {
  const kind = extraInfo.index % 3;
  const acc = kind === 0 ? 1 : kind === 1 ? 0 : solution.length % 2 + (solution.codePointAt(0) ?? 0) / 1000;
  return { score: acc, acc };
};`;

describe("core/trainer dynamic sampling", () => {
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create({ reward: MIXED });
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  it("fills the step with groups whose samples differ, and counts what it dropped", async () => {
    const { tracker } = await folder.train({
      overrides: [...FILTER, "trainer.total_training_steps=2", "data.shuffle=false", "trainer.rollout_data_dir=dump"],
    });
    for (const { metrics } of tracker.steps) {
      expect(metrics["training/uniform_groups"]).to.equal(0);
      expect(metrics["training/filter_groups/evicted_samples"]).to.be.at.least(4);
    }
    const [first] = tracker.steps;
    expect(first.metrics["training/filter_groups/filtered_reward_counts/0"]).to.be.at.least(2);
    expect(first.metrics["training/filter_groups/filtered_reward_counts/1"]).to.be.at.least(2);
    for (const step of [1, 2]) {
      expect((await folder.read("dump", `${step}.jsonl`)).trim().split("\n")).to.have.length(16);
    }
  });

  it("asks for twice what it dropped and discards the surplus", async () => {
    const { tracker } = await folder.train({
      overrides: [
        ...FILTER,
        "trainer.total_training_steps=1",
        "data.shuffle=false",
        "algorithm.filter_groups.max_inflight_gen_batches=4",
      ],
    });
    // Rows 2 and 5, 8, 11 have signal: one in 4 prompts, then six more with two, then eight more.
    expect(tracker.steps[0].metrics["training/filter_groups/discarded_surplus_samples"]).to.be.at.least(1);
  });

  it("draws the same prompts in every run, whatever the timing", async () => {
    const run = async () =>
      (await folder.train({ overrides: [...FILTER, "trainer.resume_mode=disable"] })).tracker.series(
        "critic/score/mean",
      );
    expect(await run()).to.deep.equal(await run());
  });

  it("T21: stops at the bound with the reasons", async () => {
    await folder.write("reward.mjs", "export const compute_score = ({ extraInfo }) => extraInfo.index % 2;");
    const { error } = await folder.fail({ overrides: [...FILTER, "algorithm.filter_groups.max_num_gen_batches=3"] });
    expect(error.code).to.equal("VERL_ALGORITHMS_NO_SIGNAL");
    expect(error.data).to.deep.include({ batches: 3, usable: 0, needed: 4, dropped: 12, allZero: 6, allOne: 6 });
    expect(error.message).to.include("6 all 0").and.include("6 all 1");
  });

  it("T21: goes on with the groups that there are where that is asked for", async () => {
    await folder.write(
      "reward.mjs",
      "let calls = 0; export const compute_score = ({ extraInfo }) => (extraInfo.index % 2 ? 1 : calls++ % 2);",
    );
    const { log, tracker } = await folder.train({
      overrides: [
        ...FILTER,
        "algorithm.filter_groups.max_num_gen_batches=1",
        "algorithm.filter_groups.on_exhausted=continue",
      ],
    });
    expect(log.join("\n")).to.match(/[123] of 4 groups .* the step goes on with them/);
    expect(tracker.steps).to.have.length(3);
  });

  it("stops at the deadline where there is no other bound", async () => {
    await folder.write("reward.mjs", "export const compute_score = () => 1;");
    const { error } = await folder.fail({ overrides: [...FILTER, "trainer.sample_deadline_s=0.3"] });
    expect(error.code).to.be.oneOf(["VERL_ALGORITHMS_NO_SIGNAL", "VERL_REPLAY_TIMEOUT"]);
  });

  it("needs a metric that the reward has", async () => {
    const { error } = await folder.fail({
      overrides: ["algorithm.filter_groups.enable=true", "algorithm.filter_groups.metric=f1"],
    });
    expect(error.code).to.equal("VERL_REPLAY_METRIC_MISSING");
    expect(error.message).to.include("f1").and.include("acc");
  });

  it("knows the score of every trajectory under the name score", async () => {
    await folder.write("reward.mjs", "export const compute_score = ({ solution }) => solution.codePointAt(0) ?? 0;");
    await folder.train({ overrides: ["algorithm.filter_groups.enable=true", "algorithm.filter_groups.metric=score"] });
  });

  it("never filters validation", async () => {
    await folder.write(
      "reward.mjs",
      "export const compute_score = ({ solution, extraInfo }) => solution.codePointAt(0) ?? 0;",
    );
    const { tracker } = await folder.train({
      overrides: [...FILTER, "data.val_files=[val.jsonl]", "trainer.total_training_steps=1"],
    });
    expect(tracker.steps[0].metrics["val-aux/num_samples"]).to.equal(2);
  });

  it("replaces a refill that failed as a whole without ending the run", async () => {
    const { tracker } = await folder.train({
      overrides: [
        ...FILTER,
        "trainer.total_training_steps=1",
        "data.shuffle=false",
        "actor_rollout_ref.rollout.agent.default_agent_loop=shaky",
      ],
      register: (host) =>
        host.agentLoops.register(
          scriptedLoop("shaky", ({ draw, session }) => {
            if (draw >= 4) return Promise.reject(new Error("server is gone"));
            return trajectory({ version: 0, responseIds: [2 + (draw === 2 ? session : 0), 1] });
          }),
        ),
    });
    expect(tracker.steps[0].metrics["training/rollout_failure/empty_samples"]).to.be.at.least(1);
  });

  describe("judging", () => {
    const row = (uid: string, session: number, acc: number | null): TrainingRow => ({
      key: `${uid}_${session}_0`,
      uid,
      session,
      index: 0,
      promptIds: Int32Array.of(1),
      responseIds: Int32Array.of(1),
      responseMask: [1],
      rolloutLogProbs: Float32Array.of(-1),
      score: acc,
      outcome: acc === null ? "abstain" : "scored",
      rewardExtra: acc === null ? {} : { acc },
      rewardMessage: null,
      dataSource: "toy",
      groundTruth: null,
      origin: "",
      numTurns: 2,
      metrics: {},
      stopReason: "stop",
      minWeightVersion: 0,
      maxWeightVersion: 0,
      weightVersions: null,
    });
    const group = (uid: string, scores: readonly (number | null)[]): EndedGroup => ({
      uid,
      failed: false,
      rows: scores.map((score, session) => row(uid, session, score)),
    });
    const settings = {
      metric: "acc",
      maxBatches: 0,
      maxInflightBatches: 2,
      batchSize: 4,
      onExhausted: "fail" as const,
    };

    it("drops groups that abstained altogether and keeps those of one sample", () => {
      const sampling = new DynamicSampling(settings);
      const { kept, dropped } = sampling.judge(
        [group("a", [null, null]), group("b", [1]), group("c", [null, 1, 1]), group("d", [0, 1])],
        4,
      );
      expect(kept.map(({ uid }) => uid)).to.deep.equal(["b", "d"]);
      expect(dropped).to.equal(2);
      expect(sampling.metrics()).to.deep.equal({
        "training/filter_groups/filtered_reward_counts/1": 1,
        "training/filter_groups/filtered_reward_counts/none": 1,
      });
    });

    it("asks for at least what is missing and, where that fits into flight, for twice what was dropped", () => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 20 }), (missing, dropped) => {
          const asked = new DynamicSampling(settings).refill(missing, dropped);
          expect(asked).to.be.at.least(missing);
          expect(asked).to.be.at.most(Math.max(missing, 2 * dropped));
          if (asked > missing) expect(asked).to.be.at.most(2 * 4);
        }),
      );
    });
  });
});
