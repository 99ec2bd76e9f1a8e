/**
 * Advantage estimators: registered by name, pure, on ragged batches. Per-token arrays are [R] in the layout of
 * `SequenceBatch`; per-sequence arrays are [B].
 */
export interface AdvantageInput {
  /** [B + 1] */
  readonly responseOffsets: Int32Array;
  /** 1 = token counts, [R]. */
  readonly responseMask: ArrayLike<number>;
  /** Reward per token, outcome reward on the last valid token, [R]. */
  readonly tokenLevelRewards: ArrayLike<number>;
  /** Group label of each sequence; rows of one prompt share it, in any order, [B]. */
  readonly groupIds: readonly string[];
  /** Rows that take part in group statistics (rejected or abstaining rows do not), [B]; default all with a valid token. */
  readonly eligible?: ArrayLike<number>;
  readonly values?: ArrayLike<number>;
  readonly rolloutIsWeights?: ArrayLike<number>;
  readonly oldLogProb?: ArrayLike<number>;
  readonly sumPiSquared?: ArrayLike<number>;
  /** Score of a greedy response per sequence (ReMax), [B]. */
  readonly rewardBaselines?: ArrayLike<number>;
  /**
   * Row keys `<uid>_<session>_<index>`, [B]. With them, rows of one (uid, session) are one sample: only the row of
   * highest index enters group statistics, and its scalar goes to all rows of the session. Default: a row is a sample.
   * (The reference does this for `grpo` only; here every group estimator does.)
   */
  readonly keys?: readonly string[];
  /** Reward components by name (GDPO), [B] each. */
  readonly rewardComponents?: Readonly<Record<string, ArrayLike<number>>>;
}

export interface AdvantageOutput {
  /** [R] */
  readonly advantages: Float32Array | Float64Array;
  /** [R] */
  readonly returns: Float32Array | Float64Array;
}

/** The `algorithm` section's numbers that estimators use. */
export interface AdvantageConfig {
  readonly gamma: number;
  readonly lam: number;
  readonly normAdvByStd: boolean;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Optional inputs that an estimator may need. */
export const ADVANTAGE_NEEDS = ["values", "oldLogProb", "sumPiSquared", "rewardBaselines", "rewardComponents"] as const;
export type AdvantageNeed = (typeof ADVANTAGE_NEEDS)[number];

export interface AdvantageEstimator {
  readonly name: string;
  /** Optional inputs that it needs; the trainer makes them available or refuses the configuration. */
  readonly needs: readonly AdvantageNeed[];
  compute(input: AdvantageInput, config: AdvantageConfig): AdvantageOutput;
}

/** A policy loss by `actor.policy_loss.loss_mode`. */
export interface PolicyLossFactory {
  readonly name: string;
  /** The `actor` section, from which the loss takes its hyper-parameters. Throws a coded error for bad values. */
  create(config: PolicyLossConfig): import("./algebra.js").AnyLoss;
}

export type LossAggMode =
  | "token-mean"
  | "token-sum"
  | "seq-mean-token-sum"
  | "seq-mean-token-mean"
  | "seq-mean-token-sum-norm";

export interface PolicyLossConfig {
  readonly clipRatioLow: number;
  readonly clipRatioHigh: number;
  /** Null: the loss's own bound. */
  readonly clipRatioC: number | null;
  readonly lossAggMode: LossAggMode;
  /** Whether the batch carries `rolloutIsWeights`. */
  readonly hasRolloutIsWeights: boolean;
  /** The `policy_loss` section and others (`tau_pos`, …). */
  readonly extra: Readonly<Record<string, unknown>>;
}
