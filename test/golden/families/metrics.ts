import type { MetricReduction } from "../../../core/algorithms/algebra.js";
import { dataMetrics } from "../../../core/tracking/data-metrics.js";
import { combineRanks, combineSteps } from "../../../core/tracking/metrics.js";
import { MetricsAggregator, reduceByName } from "../../../core/tracking/metrics-aggregator.js";
import { expertCounts, loadBalanceMetrics } from "../../../core/tracking/moe-load-balance.js";
import { speculativeMetrics, throughputMetrics, timingMetrics } from "../../../core/tracking/performance-metrics.js";
import { varianceProxy } from "../../../core/tracking/variance-proxy.js";
import { type Family, rowOffsets, rowsOf } from "../case.js";

const count = (row: readonly number[]) => row.reduce((a, b) => a + b, 0);

export const metricsFamily: Family = {
  reduce_metrics: (c) => ({ outputs: { out: reduceByName(c.input("metrics")) } }),

  metric_aggregate_dp(c) {
    const values = c.input<number[][]>("per_rank_values");
    const rule = c.param<MetricReduction>("aggregation");
    return { outputs: { out: combineRanks(values, rule), local: values.map((rank) => combineSteps(rank, rule)) } };
  },

  compute_data_metrics(c) {
    const mask = c.tensor("response_mask");
    const promptWidth = c.input<number>("prompt_width");
    const attention = rowsOf(c.tensor("attention_mask"));
    return {
      metrics: dataMetrics(
        {
          responseOffsets: rowOffsets(mask),
          responseMask: mask.data,
          promptLengths: attention.map((row) => count(row.slice(0, promptWidth))),
          responseLengths: attention.map((row) => count(row.slice(promptWidth))),
          tokenLevelScores: c.data("token_level_scores"),
          tokenLevelRewards: c.data("token_level_rewards"),
          advantages: c.data("advantages"),
          returns: c.data("returns"),
          values: c.param<boolean>("use_critic") ? c.data("values") : undefined,
          numTurns: c.optionalData("num_turns"),
        },
        { maxResponseLength: mask.shape[1], maxPromptLength: promptWidth, numTurnsName: "num_turns" },
      ),
    };
  },

  compute_timing_metrics(c) {
    const attention = rowsOf(c.tensor("attention_mask"));
    const width = c.input<number>("response_width");
    const response = count(attention.map((row) => count(row.slice(row.length - width))));
    return { metrics: timingMetrics(c.input("timing_raw"), { response, total: count(attention.map(count)) }) };
  },

  compute_throughput_metrics: (c) => ({
    metrics: throughputMetrics(c.input("global_token_num"), c.input("step_time"), c.param("n_gpus")),
  }),

  variance_proxy(c) {
    const mask = c.tensor("response_mask");
    return {
      metrics: varianceProxy({
        sumPiSquared: c.data("sum_pi_squared"),
        oldLogProb: c.data("old_log_probs"),
        advantages: c.data("advantages"),
        responseMask: mask.data,
        responseOffsets: rowOffsets(mask),
        rolloutIsWeights: c.optionalData("rollout_is_weights"),
        gradNorm: c.param<number | null>("gradient_norm", null),
      }),
    };
  },

  moe_load_balance(c) {
    const mask = c.tensor("response_mask");
    const { shape, data } = c.tensor("routed_experts");
    const [rows, width, layers, perToken] = shape;
    const responseWidth = mask.shape[1];
    const stride = layers * perToken;
    // Routing covers the whole sequence; the response is at its end.
    const experts = Array.from({ length: rows }, (_, b) =>
      data.slice((b * width + width - responseWidth) * stride, (b + 1) * width * stride),
    ).flat();
    const counts = expertCounts({
      experts,
      layers,
      perToken,
      numExperts: c.param("num_experts"),
      responseMask: mask.data,
      responseOffsets: rowOffsets(mask),
    });
    return { outputs: { counts: counts.flat() }, metrics: loadBalanceMetrics(counts) };
  },

  metrics_aggregator(c) {
    const aggregator = new MetricsAggregator();
    for (const { metrics, sample_count } of c.input<{ metrics: object; sample_count: number }[]>("steps")) {
      aggregator.add(metrics as Record<string, unknown>, sample_count);
    }
    return { outputs: { out: aggregator.result() } };
  },

  spec_decode_metrics(c) {
    const [drafts, accepts, verifies, keep] = ["drafts", "accepts", "verifies", "keep"].map((name) =>
      c.input<(number | boolean)[] | null>(name),
    );
    const requests = (drafts ?? []).map((drafted, i) => ({
      drafted: Number(drafted),
      accepted: Number(accepts?.[i]),
      verifySteps: Number(verifies?.[i]),
    }));
    return { metrics: speculativeMetrics(requests.filter((_, i) => keep?.[i] ?? true)) };
  },
};
