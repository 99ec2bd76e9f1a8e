import type { Sandbox } from "../../../core/plugin.js";
import { builtinScorers, createScorerIndex } from "../../../core/reward/index.js";
import { namespacesSandbox } from "../../../plugins/sandbox/index.js";
import { FAKE_LIMITS } from "../../../testing/index.js";
import type { CaseKind } from "../kind.js";

const scorers = createScorerIndex(builtinScorers);

let opened: Promise<Sandbox> | undefined;

/** For cases whose answer is a program. */
async function sandbox(): Promise<Sandbox> {
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  opened ??= (async () => namespacesSandbox.create({ limits: FAKE_LIMITS, maxConcurrent: 0, extra: {}, logger }))();
  return opened;
}

/** Scores by the reference's rules, or with `lenient` by this project's. */
export const score: CaseKind = {
  name: "score",
  fields: ["data_source", "solution", "ground_truth", "method", "lenient"],
  expectFields: ["score", "acc", "pred", "error"],
  async run({ data_source, solution, ground_truth, method, lenient, expect }) {
    const scorer = scorers.find(data_source as string);
    if (!scorer) return expect.error ? null : { expected: expect, actual: { error: true } };
    const result = await scorer.score({
      dataSource: data_source as string,
      solution: solution as string,
      media: [],
      groundTruth: ground_truth as string,
      extraInfo: {},
      signal: new AbortController().signal,
      sandbox,
      judge: null,
      kwargs: { method, ...(lenient ? {} : { compat: "verl" }) },
    });
    if (result === null || typeof result === "number") return { expected: expect, actual: result };
    const actual = { score: result.score, acc: Boolean(result.acc), pred: result.pred };
    const right =
      !expect.error &&
      Math.abs((result.score ?? Number.NaN) - (expect.score as number)) <= 1e-9 &&
      (expect.acc === undefined || expect.acc === actual.acc) &&
      (expect.pred === undefined || expect.pred === actual.pred);
    return right ? null : { expected: expect, actual };
  },
};
