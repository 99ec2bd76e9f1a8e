/**
 * Preference vectors give one number per response; a row of one token with that log-probability is such a response, so
 * sums and averages are the number itself and gradients come through the algebra.
 */
import type { LossFunction } from "../../../core/algorithms/algebra.js";
import { countsOf } from "../../../core/algorithms/counts.js";
import { type DpoOptions, dpoLoss } from "../../../core/algorithms/losses/dpo.js";
import { ktoBaseline, ktoLoss } from "../../../core/algorithms/losses/kto.js";
import { orpoLoss } from "../../../core/algorithms/losses/orpo.js";
import { sequenceLogProb } from "../../../core/algorithms/losses/pair-terms.js";
import { rewardModelLoss } from "../../../core/algorithms/losses/reward-model.js";
import { simpoLoss } from "../../../core/algorithms/losses/simpo.js";
import { pairOf } from "../../../core/algorithms/preference-pairs.js";
import { differentiate, type TapeResult } from "../../../core/algorithms/tape.js";
import { type Family, type GoldenCase, rowOffsets, rowsOf, type Tensor } from "../case.js";
import { metricValues, runLoss } from "./loss-case.js";

type LossColumn = { readonly extent: "token" | "sequence"; readonly data: ArrayLike<number> };
type Rows = readonly (readonly number[])[];

/** Chosen and rejected rows alternate. */
const interleave = <T>(chosen: readonly T[], rejected: readonly T[]): T[] => chosen.flatMap((c, i) => [c, rejected[i]]);
const single = (values: readonly number[]): Rows => values.map((v) => [v]);

interface PairRows {
  readonly values: Rows;
  readonly reference?: Rows;
  readonly mask?: Rows;
  readonly columns?: Readonly<Record<string, readonly number[]>>;
}

function run(loss: LossFunction, rows: PairRows): TapeResult {
  const responseOffsets = Int32Array.from({ length: rows.values.length + 1 }, (_, b) => b * rows.values[0].length);
  const responseMask = (rows.mask ?? rows.values.map((row) => row.map(() => 1))).flat();
  const chosen = rows.values.map((_, b) => (b % 2 === 0 ? 1 : 0));
  const output = loss.outputs[0];
  return differentiate(loss, {
    outputs: { [output]: rows.values.flat() },
    columns: new Map<string, LossColumn>([
      ["chosen", { extent: "sequence", data: chosen }],
      ["refLogProb", { extent: "token", data: (rows.reference ?? rows.values.map((row) => row.map(() => 0))).flat() }],
      ...Object.entries(rows.columns ?? {}).map(([name, data]): [string, LossColumn] => [
        name,
        { extent: "sequence", data },
      ]),
    ]),
    responseMask,
    responseOffsets,
    counts: countsOf({ responseOffsets, responseMask }),
  });
}

/** Each pair alone: its own loss and metrics. */
const eachPair = (loss: LossFunction, { values, reference }: PairRows): TapeResult[] =>
  Array.from({ length: values.length / 2 }, (_, i) =>
    run(loss, { values: values.slice(2 * i, 2 * i + 2), reference: reference?.slice(2 * i, 2 * i + 2) }),
  );

const halves = (gradient: ArrayLike<number> = []) =>
  [0, 1].map((half) => Array.from(gradient).filter((_, i) => i % 2 === half));

function pairOutcome(loss: LossFunction, rows: PairRows, names: readonly [string, string]) {
  const result = run(loss, rows);
  const [chosen, rejected] = halves(Object.values(result.gradients)[0]);
  return {
    outputs: { loss: result.loss, losses: eachPair(loss, rows).map((r) => r.loss) },
    metrics: metricValues(result),
    grad: { [names[0]]: chosen, [names[1]]: rejected },
  };
}

const averages = (c: GoldenCase): PairRows => ({
  values: single(interleave(c.data("chosen_avg_logps"), c.data("rejected_avg_logps"))),
});

export const preferenceFamily: Family = {
  sequence_logps(c) {
    const logProb = c.tensor("token_log_probs");
    const mask = c.tensor("mask");
    const average = c.param("average", false);
    const upstream = c.data("upstream");
    const rowSum = (weights: readonly number[]) =>
      runLoss(
        {
          build: (g) => {
            const value_B = sequenceLogProb(g, g.output("logProb"), average);
            // A weight per row: spread over one token, which is enough to carry it.
            const weight_B = g.sumTokens(g.column("weights"));
            return { loss: g.sum(g.mul(value_B, weight_B)), metrics: {} };
          },
        },
        { outputs: { logProb }, mask, columns: { weights: firstTokens(logProb, weights) } },
      );
    const logps = upstream.map((_, row) => rowSum(upstream.map((_x, b) => (b === row ? 1 : 0))).loss);
    return { outputs: { logps }, grad: { token_log_probs: rowSum(upstream).gradients.logProb } };
  },

  dpo(c) {
    const options: DpoOptions = {
      lossType: c.param("loss_type"),
      beta: c.param("beta"),
      labelSmoothing: c.param("label_smoothing", 0),
      referenceFree: c.param("reference_free", false),
    };
    const rows: PairRows = {
      values: single(interleave(c.data("policy_chosen_logps"), c.data("policy_rejected_logps"))),
      reference: single(interleave(c.data("ref_chosen_logps"), c.data("ref_rejected_logps"))),
    };
    return pairOutcome(dpoLoss(options), rows, ["policy_chosen_logps", "policy_rejected_logps"]);
  },

  simpo: (c) =>
    pairOutcome(simpoLoss({ beta: c.param("beta"), gamma: c.param("gamma") }), averages(c), [
      "chosen_avg_logps",
      "rejected_avg_logps",
    ]),

  orpo(c) {
    const loss = orpoLoss({ lambda: c.param("lambda") });
    const outcome = pairOutcome(loss, averages(c), ["chosen_avg_logps", "rejected_avg_logps"]);
    const { nll_loss, odds_ratio_loss } = outcome.metrics;
    const logOdds = eachPair(loss, averages(c)).map((r) => r.metrics.log_odds.value);
    return { ...outcome, outputs: { ...outcome.outputs, nll: nll_loss, odds_ratio_loss, log_odds: logOdds } };
  },

  kto(c) {
    const loss = ktoLoss({
      beta: c.param("beta"),
      desirableWeight: c.param("desirable_weight"),
      undesirableWeight: c.param("undesirable_weight"),
    });
    const z0 = c.param("use_kl_baseline", true) ? ktoBaseline(c.data("kl_policy_logps"), c.data("kl_ref_logps")) : 0;
    const [policy, reference, desirable] = [c.data("policy_logps"), c.data("ref_logps"), c.data("desirable")];
    const rows = (from: number, to: number): PairRows => ({
      values: single(policy.slice(from, to)),
      reference: single(reference.slice(from, to)),
      columns: { desirable: desirable.slice(from, to), klBaseline: policy.slice(from, to).map(() => z0) },
    });
    const result = run(loss, rows(0, policy.length));
    return {
      outputs: { loss: result.loss, losses: policy.map((_, i) => run(loss, rows(i, i + 1)).loss), z0 },
      metrics: metricValues(result),
      grad: { policy_logps: result.gradients.logProb },
    };
  },

  reward_model_bt(c) {
    const loss = rewardModelLoss({ margin: c.param("margin", 0), centerCoefficient: c.param("center_coefficient", 0) });
    const rows = { values: single(interleave(c.data("chosen_scores"), c.data("rejected_scores"))) };
    const outcome = pairOutcome(loss, rows, ["chosen_scores", "rejected_scores"]);
    return { ...outcome, outputs: { ...outcome.outputs, accuracy: outcome.metrics["rewards/accuracies"] } };
  },

  dpo_from_tokens(c) {
    const loss = dpoLoss({
      lossType: c.param("loss_type"),
      beta: c.param("beta"),
      rpoAlpha: c.param("rpo_alpha", 0),
    });
    const both = (name: string) => interleave(...(halfRows(c, name) as [number[][], number[][]]));
    const mask = interleave(rowsOf(c.tensor("chosen_mask")), rowsOf(c.tensor("rejected_mask")));
    const result = run(loss, { values: both("policy"), reference: both("ref"), mask });
    const width = mask[0].length;
    const gradient = rowsOf({
      dtype: "float64",
      shape: [mask.length, width],
      data: Array.from(result.gradients.logProb!),
    });
    const half = (h: number) => gradient.filter((_, b) => b % 2 === h).flat();
    return { outputs: { loss: result.loss }, grad: { policy_chosen: half(0), policy_rejected: half(1) } };
  },

  online_pairs(c) {
    const groups = Object.entries(c.input<Record<string, number[]>>("scores"));
    return { outputs: { pairs: Object.fromEntries(groups.map(([id, scores]) => [id, pairOf(scores)])) } };
  },
};

const halfRows = (c: GoldenCase, name: string) =>
  ["chosen", "rejected"].map((half) => rowsOf(c.tensor(`${name}_${half}`)));

function firstTokens(like: Tensor, weights: readonly number[]): Tensor {
  const offsets = rowOffsets(like);
  const data = new Array<number>(like.data.length).fill(0);
  weights.forEach((w, b) => {
    data[offsets[b]] = w;
  });
  return { ...like, data };
}
