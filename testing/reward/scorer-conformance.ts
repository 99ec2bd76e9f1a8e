import assert from "node:assert/strict";
import type { JsonValue, RewardContext, RewardedSample, Scorer } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";
import { createFakeSandbox } from "../sandbox/fake-sandbox.js";

export interface ScorerUnderTest {
  readonly scorer: Scorer;
  /** Answers that it knows, with what they are worth; `score` is not compared where it is left out. */
  readonly samples?: readonly {
    readonly solution: string;
    readonly groundTruth: JsonValue;
    readonly extraInfo?: Readonly<Record<string, unknown>>;
    readonly score?: number | null;
  }[];
  /** Where they differ from an empty one with a sandbox that runs no code. */
  readonly context?: Partial<RewardContext>;
}

/** What a model may answer: nothing, far too much, half a character, something else than was asked for. */
const ANSWERS = [
  "",
  " ",
  "42",
  "-1e999",
  "\ud800",
  "#### ",
  "\\boxed{",
  "```python\n",
  "{".repeat(2000),
  "a ".repeat(50_000),
];
const GROUND_TRUTHS: readonly JsonValue[] = ["42", 42, ["42"], { answer: "42" }, null];

/** What every scorer must do. Run it with `runConformance`. */
export function scorerConformance({ scorer, samples = [], context }: ScorerUnderTest): ConformanceCase[] {
  const sandbox = async () => createFakeSandbox({ languages: ["python", "bash", "javascript"] });
  const score = async (sample: Pick<RewardedSample, "solution" | "groundTruth"> & Partial<RewardedSample>) =>
    scorer.score({
      dataSource: scorer.dataSources[0]?.replace(/\*$/, "x") ?? "x",
      extraInfo: {},
      media: [],
      signal: new AbortController().signal,
      kwargs: {},
      sandbox,
      judge: null,
      ...context,
      ...sample,
    });
  const truths = samples.length > 0 ? samples.map(({ groundTruth }) => groundTruth) : GROUND_TRUTHS;

  return [
    {
      name: "names the data sources that it scores, with `*` at their end alone",
      async run() {
        assert.ok(scorer.name.trim() !== "", "a name");
        assert.ok(scorer.dataSources.length > 0, "at least one data source");
        assert.equal(new Set(scorer.dataSources).size, scorer.dataSources.length, "each of them once");
        for (const source of scorer.dataSources) assert.match(source, /^[^*]+\*?$/);
      },
    },
    ...(samples.length === 0
      ? []
      : [
          {
            name: "gives the answers that it knows what they are worth",
            async run() {
              for (const { score: wanted, ...sample } of samples) {
                const given = scoreOf(await score(sample));
                if (wanted !== undefined) assert.equal(given, wanted, JSON.stringify(sample));
              }
            },
          },
        ]),
    {
      name: "scores any answer where it can score one",
      async run() {
        for (const groundTruth of truths) {
          const results = await Promise.allSettled(ANSWERS.map((solution) => score({ solution, groundTruth })));
          // A right answer of another form is none of its own: it may refuse the row.
          if (samples.length === 0 && results.every(({ status }) => status === "rejected")) continue;
          results.forEach((result, i) => {
            const answer = JSON.stringify(ANSWERS[i].slice(0, 20));
            if (result.status === "rejected")
              throw new Error(`the answer ${answer} made it throw`, { cause: result.reason });
            scoreOf(result.value, answer);
          });
        }
      },
    },
    {
      name: "scores the same answer the same, also when others are scored at the same time",
      async run() {
        for (const groundTruth of truths) {
          const all = () => Promise.allSettled(ANSWERS.map((solution) => score({ solution, groundTruth })));
          const [first, second] = await Promise.all([all(), all()]);
          const values = (results: typeof first) =>
            results.map((r) => (r.status === "fulfilled" ? r.value : "rejected"));
          assert.deepEqual(values(second), values(first));
        }
      },
    },
    {
      name: "leaves what it is given as it was",
      async run() {
        for (const { solution, groundTruth, extraInfo = {} } of samples) {
          const given = { solution, groundTruth, extraInfo };
          const before = structuredClone(given);
          await score(given);
          assert.deepEqual(given, before);
        }
      },
    },
    {
      name: "names a language if it runs programs",
      async run() {
        if (scorer.sandboxLanguage) assert.ok(scorer.sandboxLanguage({}).trim() !== "");
      },
    },
  ];
}

/** The number in a reward; null where it abstains. */
function scoreOf(reward: unknown, where = ""): number | null {
  const isObject = typeof reward === "object" && reward !== null;
  assert.ok(!isObject || "score" in reward, `${where}: an object without score`);
  const score = isObject ? (reward as { readonly score: unknown }).score : reward;
  assert.ok(score === null || Number.isFinite(score), `${where}: the score is ${String(score)}`);
  return score as number | null;
}
