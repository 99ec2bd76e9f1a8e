/**
 * Validation statistics per data source: per prompt and numeric variable with N responses, averaged over prompts.
 *
 *   mean@N       std@N (population)     for n in 2, 4, 8, … < N and N itself:
 *   best@n, worst@n    largest and smallest of n responses drawn with replacement: …/mean and …/std
 *   maj@n              value of the majority answer (variable `pred`) of n drawn responses
 *   pass@n             for 0/1 variables: unbiased, without replacement (2107.03374)
 *
 * Best and worst are exact, and so is the majority where at most 1,000 draws are possible; else it is bootstrapped with
 * 1,000 draws of a generator seeded per prompt. By the name `numpy`, all are bootstrapped with the reference's
 * generator, one seed for every prompt. Null and NaN values (abstentions) are skipped; a variable with texts has no
 * statistics.
 */
import { hashText, philox } from "../data/random.js";
import { trackingErrors } from "./errors.js";
import { mean, total } from "./metrics.js";
import { NumpyRandom } from "./numpy-random.js";
import { answerIds, bestOf, bootstrap, majorityIndex, passAtK, type Resampled, worstOf } from "./resampling.js";

export type ValidationValue = number | boolean | string | null;

/** Parallel lists, one entry per response. */
export interface ValidationSamples {
  readonly dataSources: readonly string[];
  readonly uids: readonly string[];
  /** Variables by name: `reward`, `acc`, `pred`, …. */
  readonly variables: Readonly<Record<string, readonly ValidationValue[]>>;
}

export interface ValidationOptions {
  /** Default 42. */
  readonly seed?: number;
  /** Draws of the bootstrap; default 1000. */
  readonly draws?: number;
  readonly resampling?: "exact" | "numpy";
}

/** Statistics by data source, variable and metric. */
export type ValidationStatistics = Record<string, Record<string, Record<string, number>>>;

export function validationStatistics(
  samples: ValidationSamples,
  options: ValidationOptions = {},
): ValidationStatistics {
  const { dataSources, uids, variables } = samples;
  for (const [name, values] of [["uids", uids] as const, ...Object.entries(variables)]) {
    if (values.length === dataSources.length) continue;
    throw trackingErrors.VERL_TRACKING_SHAPE({
      what: `validation has ${dataSources.length} responses and ${values.length} values of "${name}"`,
    });
  }
  const sources = new Map<string, Map<string, number[]>>();
  dataSources.forEach((source, i) => {
    const prompts = sources.get(source) ?? new Map<string, number[]>();
    sources.set(source, prompts);
    const rows = prompts.get(uids[i]);
    if (rows) rows.push(i);
    else prompts.set(uids[i], [i]);
  });
  const draw = drawer(options);
  const out: ValidationStatistics = {};
  for (const [source, prompts] of sources) {
    out[source] = {};
    for (const [variable, values] of Object.entries(variables)) {
      if (values.some((v) => typeof v === "string")) continue;
      const perPrompt = [...prompts].map(([uid, rows]) => {
        const answers = variables.pred && rows.map((i) => variables.pred[i]);
        const drawn = (size: number, n: number) => draw(size, n, `${source}/${uid}`);
        return promptStatistics(
          rows.map((i) => values[i]),
          answers,
          drawn,
          options.resampling !== "numpy",
        );
      });
      const averaged = averageByName(perPrompt);
      if (Object.keys(averaged).length > 0) out[source][variable] = averaged;
    }
  }
  return out;
}

function promptStatistics(
  raw: readonly ValidationValue[],
  answers: readonly ValidationValue[] | undefined,
  draw: (size: number, n: number) => number[][],
  exact: boolean,
): Record<string, number> {
  const kept = raw.flatMap((v, i) => (v === null || Number.isNaN(v) ? [] : [i]));
  const values = kept.map((i) => Number(raw[i]));
  const size = raw.length;
  if (values.length === 0) return {};
  const average = mean(values);
  const out: Record<string, number> = { [`mean@${size}`]: average };
  if (size === 1) return out;
  out[`std@${size}`] = Math.sqrt(total(values.map((v) => (v - average) ** 2)) / values.length);
  const ids = answers && answerIds(kept.map((i) => answers[i]));
  const counts = new Int32Array(values.length);
  const binary = values.every((v) => v === 0 || v === 1);
  for (const n of drawSizes(size)) {
    const draws = lazily(() => draw(values.length, n));
    const of = (statistic: (xs: number[]) => number) =>
      bootstrap(draws(), (drawn) => statistic(drawn.map((i) => values[i])));
    put(out, `best@${n}`, exact ? bestOf(values, n) : of((xs) => Math.max(...xs)));
    put(out, `worst@${n}`, exact ? worstOf(values, n) : of((xs) => Math.min(...xs)));
    if (ids)
      put(
        out,
        `maj@${n}`,
        bootstrap(draws(), (drawn) => values[majorityIndex(drawn, ids, counts)]),
      );
    if (binary && n <= values.length) out[`pass@${n}`] = passAtK(values.length, total(values), n);
  }
  return out;
}

/**
 * Standard errors of the means over prompts, `val-aux/<source>/<variable>/mean@N/stderr`: prompts are the independent draws,
 * so the N responses of one count as one. Nothing for a single prompt.
 */
export function validationStandardErrors({ dataSources, uids, variables }: ValidationSamples): Record<string, number> {
  const out: Record<string, number> = {};
  for (const source of new Set(dataSources)) {
    for (const [variable, values] of Object.entries(variables)) {
      if (values.some((v) => typeof v === "string")) continue;
      const prompts = new Map<string, { size: number; values: number[] }>();
      dataSources.forEach((name, i) => {
        if (name !== source) return;
        const prompt = prompts.get(uids[i]) ?? { size: 0, values: [] };
        prompts.set(uids[i], prompt);
        prompt.size++;
        const value = values[i];
        if (value !== null && !Number.isNaN(value)) prompt.values.push(Number(value));
      });
      const scored = [...prompts.values()].filter((prompt) => prompt.values.length > 0);
      if (scored.length < 2) continue;
      const means = scored.map((prompt) => mean(prompt.values));
      const average = mean(means);
      const variance = total(means.map((m) => (m - average) ** 2)) / (means.length - 1);
      const n = Math.max(...scored.map(({ size }) => size));
      out[`val-aux/${source}/${variable}/mean@${n}/stderr`] = Math.sqrt(variance / means.length);
    }
  }
  return out;
}

/** 2, 4, 8, … below N, and N. */
function drawSizes(size: number): number[] {
  const sizes: number[] = [];
  for (let n = 2; n < size; n *= 2) sizes.push(n);
  return [...sizes, size];
}

type Drawer = (size: number, n: number, stream: string) => number[][];

/** Draws of n indices below `size`, the same for the same arguments. */
function drawer(options: ValidationOptions): Drawer {
  const [seed, draws] = [options.seed ?? 42, options.draws ?? 1000];
  const exact = new Map<string, number[][]>();
  return (size, n, stream) => {
    if (options.resampling === "numpy") {
      const numpy = new NumpyRandom(seed);
      return Array.from({ length: draws }, () => numpy.choice(size, n));
    }
    if (size ** n <= draws) {
      const key = `${size},${n}`;
      const known = exact.get(key) ?? allDraws(size, n);
      exact.set(key, known);
      return known;
    }
    const words = philoxWords(seed, hashText(`${stream}/${n}`));
    return Array.from({ length: draws }, () => Array.from({ length: n }, () => Math.floor((words() / 2 ** 32) * size)));
  };
}

/** Every ordered draw once: the exact distribution. */
function allDraws(size: number, n: number): number[][] {
  let list: number[][] = [[]];
  for (let k = 0; k < n; k++) list = list.flatMap((head) => Array.from({ length: size }, (_, i) => [...head, i]));
  return list;
}

/** 32-bit words of one stream, four at a time. */
function philoxWords(seed: number, key: number): () => number {
  let block: readonly number[] = [];
  let taken = 0;
  return () => {
    if (taken % 4 === 0) block = philox(seed, key, taken / 4);
    return block[taken++ % 4];
  };
}

function averageByName(perPrompt: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const lists = new Map<string, number[]>();
  for (const statistics of perPrompt) {
    for (const [name, value] of Object.entries(statistics)) {
      const list = lists.get(name);
      if (list) list.push(value);
      else lists.set(name, [value]);
    }
  }
  return Object.fromEntries([...lists].map(([name, values]) => [name, mean(values)]));
}

function put(out: Record<string, number>, name: string, { mean, std }: Resampled): void {
  out[`${name}/mean`] = mean;
  out[`${name}/std`] = std;
}

function lazily<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= make();
    return value;
  };
}

/**
 * Names for a tracker: `val-core/<source>/<variable>/<metric>` for the core variable (`acc`, or `reward` without it) and
 * its mean, maj and best at the largest n; `val-aux/…` for the rest.
 */
export function nameValidationMetrics(statistics: ValidationStatistics): Record<string, number> {
  const out: Record<string, number> = {};
  for (const [source, variables] of Object.entries(statistics)) {
    const core = "acc" in variables ? "acc" : "reward";
    for (const [variable, metrics] of Object.entries(variables)) {
      const largest = Math.max(...Object.keys(metrics).map((name) => Number(/@(\d+)/.exec(name)?.[1])));
      for (const [metric, value] of Object.entries(metrics)) {
        const headline = new RegExp(`^(mean|maj|best)@${largest}(/|$)`).test(metric);
        out[`val-${variable === core && headline ? "core" : "aux"}/${source}/${variable}/${metric}`] = value;
      }
    }
  }
  return out;
}
