import { NumpyRandom } from "../../../core/tracking/numpy-random.js";
import { answerIds, bootstrap, majorityIndex, majorityValue } from "../../../core/tracking/resampling.js";
import {
  type ValidationOptions,
  type ValidationSamples,
  type ValidationStatistics,
  validationStatistics,
} from "../../../core/tracking/validation-metrics.js";
import { type Family, type GoldenCase, rowsOf } from "../case.js";

interface Expectation {
  readonly mean: number;
  readonly mc_tolerance: number;
}

export const valMetricsFamily: Family = {
  numpy_choice_indices(c) {
    const random = new NumpyRandom(c.param("seed"));
    const [draws, n, size] = [
      c.param<number>("n_bootstrap"),
      c.param<number>("n_data"),
      c.param<number>("subset_size"),
    ];
    return { outputs: { indices: Array.from({ length: draws }, () => random.choice(n, size)).flat() } };
  },

  bootstrap_with_given_indices(c) {
    const [values, answers] = [c.input<number[]>("data"), c.input<string[]>("pred")];
    const draws = rowsOf(c.tensor("indices"));
    const best = bootstrap(draws, (drawn) => Math.max(...drawn.map((i) => values[i])));
    const worst = bootstrap(draws, (drawn) => Math.min(...drawn.map((i) => values[i])));
    const majority = bootstrap(draws, (drawn) => values[majorityIndex(drawn, answerIds(answers))]);
    return {
      outputs: {
        best_mean: best.mean,
        best_std: best.std,
        worst_mean: worst.mean,
        worst_std: worst.std,
        maj_mean: majority.mean,
        maj_std: majority.std,
      },
    };
  },

  majority_value: (c) => ({ outputs: { value: majorityValue(c.input("pred"), c.input("val")) } }),

  process_validation_metrics(c) {
    const samples: ValidationSamples = {
      dataSources: c.input("data_sources"),
      uids: c.input("sample_uids"),
      variables: c.input("infos"),
    };
    const options: ValidationOptions = { seed: c.param("seed"), draws: c.param("n_bootstrap") };
    const reference = validationStatistics(samples, { ...options, resampling: "numpy" });
    return {
      outputs: { reference_mt19937: reference },
      checked: { exact_expectation: withinTolerance(c, validationStatistics(samples, options)) },
    };
  },
};

/** Our own statistics lie within twice the Monte-Carlo tolerance of the exact expectation. */
function withinTolerance(c: GoldenCase, ours: ValidationStatistics): string | null {
  const expected = c.outputs.exact_expectation as Record<string, Record<string, Record<string, Expectation>>>;
  for (const [source, variables] of Object.entries(expected)) {
    for (const [variable, metrics] of Object.entries(variables)) {
      for (const [metric, { mean, mc_tolerance }] of Object.entries(metrics)) {
        const value = ours[source]?.[variable]?.[metric];
        if (!(Math.abs(value - mean) <= 2 * mc_tolerance + 1e-9)) {
          return `${source}/${variable}/${metric}: ${value}, expected ${mean} ± ${2 * mc_tolerance}`;
        }
      }
    }
  }
  return null;
}
