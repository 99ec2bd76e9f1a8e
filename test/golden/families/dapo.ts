import { overlongPenalty } from "../../../core/algorithms/overlong-penalty.js";
import { resultOf } from "../../../core/reward/score-value.js";
import { filterGroups } from "../../../core/transfer/group-filter.js";
import type { Family } from "../case.js";

/** The counts' keys as the reference prints them: floats. */
const floatKey = (value: number) => (Number.isInteger(value) ? value.toFixed(1) : String(value));

export const dapoFamily: Family = {
  overlong_penalty(c) {
    const score = c.input<number>("base_score");
    const penalty = overlongPenalty({
      maxResponseLength: c.param("max_resp_len", Number.NaN),
      bufferLength: c.param("overlong_buffer_len"),
      penaltyFactor: c.param("penalty_factor", 1),
      beyond: "grow",
    });
    const results = c.input<number[]>("valid_response_lengths").map((length) => {
      if (!c.param<boolean>("enable")) return { reward: score, overlong_reward: null, overlong: null };
      const value = penalty(length);
      return { reward: score + value, overlong_reward: value, overlong: value < 0 };
    });
    return { outputs: { results } };
  },

  reward_result(c) {
    const input = { key: "k", dataSource: "s" } as Parameters<typeof resultOf>[1];
    const { score, extra } = resultOf(c.input("score_fn_result"), input);
    return { outputs: { reward_score: score, reward_extra_info: extra } };
  },

  filter_groups(c) {
    const metric = c.param<string>("metric");
    const groups = Object.entries(c.input<Record<string, (number | boolean)[]>>("groups"));
    const scored = groups.map(([uid, values]) => ({
      uid,
      status: "finished" as const,
      trajectories: values.map((value) => ({ [metric]: value })),
    }));
    const { evicted, valueCounts } = filterGroups(scored, { mode: "sync", metric, uniform: "zeroDeviation" });
    return {
      outputs: {
        dropped: evicted,
        kept: groups.map(([uid]) => uid).filter((uid) => !evicted.includes(uid)),
        dropped_value_counts: Object.fromEntries([...valueCounts].map(([value, n]) => [floatKey(value), n])),
      },
    };
  },
};
