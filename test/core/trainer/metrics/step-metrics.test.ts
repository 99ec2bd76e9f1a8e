import { expect } from "chai";
import { stepMetrics } from "../../../../core/trainer/metrics/step-metrics.js";
import { makeTrainBatch, rejectTokens } from "../../../../core/trainer/step/train-batch.js";
import { type TrainingRow, trainingRow } from "../../../../core/trainer/step/training-row.js";

const NAME = "training/off_policy/older_token_ratio";

describe("core/trainer step metrics: tokens of older weights", () => {
  /** Four response tokens; the third is a tool's. */
  const row = (session: number, over: Partial<TrainingRow> = {}): TrainingRow => ({
    ...trainingRow(
      `u_${session}_0`,
      { uid: "u", session, index: 0 },
      {
        promptIds: Int32Array.of(3),
        responseIds: Int32Array.of(4, 5, 6, 7),
        responseMask: Int32Array.of(1, 1, 0, 1),
        rolloutLogProbs: Float32Array.of(-1, -1, 0, -1),
        score: 1,
        rewardOutcome: "scored",
        minWeightVersion: 1,
        maxWeightVersion: 2,
        weightVersions: [
          { start: 0, end: 1, version: 1 },
          { start: 1, end: 4, version: 2 },
        ],
      },
    ),
    ...over,
  });
  const batchOf = (...rows: TrainingRow[]) => makeTrainBatch(rows, 1);
  const measure = (batch: ReturnType<typeof batchOf>, globalStep = 3) =>
    stepMetrics(batch, { globalStep, epoch: 0, promptLength: 4, responseLength: 4, ranks: 1 });

  it("are counted among the trained ones, those of tools aside", () => {
    expect(measure(batchOf(row(0)))[NAME]).to.be.closeTo(1 / 3, 1e-12);
    expect(measure(batchOf(row(0)), 4)[NAME]).to.equal(1);
  });

  it("are not counted where nothing is known of each token, or nothing is trained", () => {
    const unknown = row(1, { weightVersions: null });
    const unscored = row(2, { score: null, outcome: "abstain" });
    expect(measure(batchOf(row(0), unknown, unscored))[NAME]).to.be.closeTo(1 / 3, 1e-12);
  });

  it("leave with what is rejected", () => {
    const batch = batchOf(row(0));
    rejectTokens(batch, [0, 1, 0, 1]);
    expect(measure(batch)).to.not.have.property(NAME);
  });

  it("are told as 0 where responses outlive updates, and not at all elsewhere", () => {
    const current = { weightVersions: [{ start: 0, end: 4, version: 2 }] };
    expect(measure(batchOf(row(0, current)))).to.not.have.property(NAME);
    expect(measure(batchOf(row(0, { ...current, metrics: { interruptions: 0 } })))[NAME]).to.equal(0);
  });
});
