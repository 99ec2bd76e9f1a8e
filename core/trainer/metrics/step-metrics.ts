import { unbalanceReport } from "../../algorithms/index.js";
import { shareRows } from "../../engine/index.js";
import { dataMetrics, throughputMetrics, timingMetrics } from "../../tracking/index.js";
import { hasFailedReward } from "../sampling/failed-rewards.js";
import type { TrainBatch } from "../step/train-batch.js";
import { loopTimes, spread } from "./loop-times.js";
import { rewardTimes } from "./reward-times.js";
import type { StepTimers } from "./timing.js";
import { toolMetrics } from "./tool-metrics.js";

/** What is known about a step once its batch has been trained on, under the reference's names. */
export function stepMetrics(
  batch: TrainBatch,
  step: {
    readonly globalStep: number;
    readonly epoch: number;
    /** Limits of the run: `clip_ratio` is the share of rows that reach them. */
    readonly promptLength: number;
    readonly responseLength: number;
    /** Training processes. */
    readonly ranks: number;
  },
): Record<string, number> {
  const { sequences, rows } = batch;
  const zeros = new Float32Array(batch.rolloutLogProb.length);
  const total = sequences.inputIds.length;
  const lengths = rows.map((_, b) => sequences.offsets[b + 1] - sequences.offsets[b]);
  return {
    "training/global_step": step.globalStep,
    "training/epoch": step.epoch,
    ...dataMetrics(
      {
        responseOffsets: sequences.responseOffsets,
        responseMask: sequences.responseMask,
        promptLengths: sequences.promptLengths,
        tokenLevelScores: scoresOrAbstained(batch),
        tokenLevelRewards: batch.tokenLevelRewards,
        advantages: batch.advantages ?? zeros,
        returns: batch.returns ?? zeros,
        ...(batch.values ? { values: batch.values } : {}),
        numTurns: rows.map((row) => row.numTurns),
      },
      { maxResponseLength: step.responseLength, maxPromptLength: step.promptLength },
    ),
    "reward/failed_ratio": rows.filter(hasFailedReward).length / rows.length,
    ...toolMetrics(rows),
    ...versionMetrics(batch, step.globalStep),
    ...unbalanceReport(lengths, shareRows(sequences, step.ranks), "global_seqlen"),
    "perf/total_num_tokens": total,
  };
}

/** Times of a step and its throughput, once it is over. */
export function timeMetrics(
  { sequences, rows }: TrainBatch,
  timers: StepTimers,
  ranks: number,
): Record<string, number> {
  const total = sequences.inputIds.length;
  const tokens = { response: sequences.responseMask.length, total };
  return {
    ...rewardTimes(rows),
    ...loopTimes(rows),
    ...timingMetrics(Object.fromEntries(timers.all), tokens),
    ...throughputMetrics([total], timers.seconds("step"), ranks),
  };
}

/** A row without a score must not count as a score of 0: NaN marks it as abstained. */
function scoresOrAbstained(batch: TrainBatch): Float32Array {
  const scores = Float32Array.from(batch.tokenLevelScores);
  batch.rows.forEach((row, b) => {
    const [start, end] = [batch.sequences.responseOffsets[b], batch.sequences.responseOffsets[b + 1]];
    if (row.score === null && end > start) scores[end - 1] = Number.NaN;
  });
  return scores;
}

/** Weight versions behind the trajectories: their span, and how far they lie behind the step. */
function versionMetrics(batch: TrainBatch, globalStep: number): Record<string, number> {
  const { rows } = batch;
  const prefix = "training/off_policy";
  const older = olderTokens(batch, globalStep - 1);
  return {
    ...spread(
      `${prefix}/trajectory_spans`,
      rows.map((row) => row.maxWeightVersion - row.minWeightVersion + 1),
    ),
    ...spread(
      `${prefix}/trajectory_staleness`,
      rows.map((row) => globalStep - 1 - row.maxWeightVersion),
    ),
    ...spread(
      `${prefix}/trajectory_staleness_worst`,
      rows.map((row) => globalStep - 1 - row.minWeightVersion),
    ),
    ...(older === null ? {} : { [`${prefix}/older_token_ratio`]: older }),
  };
}

/**
 * Share of the trained tokens that weights before `version` drew, over the rows that say so of each token. Null where there is
 * nothing to tell: no such token, and no loop whose responses outlive a weight update.
 */
function olderTokens({ rows, sequences }: TrainBatch, version: number): number | null {
  const { responseMask, responseOffsets } = sequences;
  let [older, trained] = [0, 0];
  rows.forEach(({ weightVersions }, b) => {
    for (const run of weightVersions ?? []) {
      for (let t = responseOffsets[b] + run.start; t < responseOffsets[b] + run.end; t++) {
        if (responseMask[t] === 0) continue;
        trained++;
        if (run.version < version) older++;
      }
    }
  });
  const survive = rows.some(({ metrics }) => metrics.interruptions !== undefined);
  return trained > 0 && (older > 0 || survive) ? older / trained : null;
}
