import { isVerlError } from "../../../host/errors.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import type { Scorer } from "../../reward.js";
import { paymentOf } from "../payment.js";
import { extractCode, extractCodeLikeVerl } from "./extract-code.js";
import { type CaseCode, type JudgeOptions, judge } from "./judge.js";
import { readTestSuite, type TestCase, type TestSuite } from "./test-suite.js";

/** As many cases decide in verl. */
const VERL_CASES = 10;
/** For all cases of a program. */
const TOTAL_SECONDS = 100;

/**
 * Programs by their test cases: the program of the response (its last code block) is run in the sandbox for each case. It
 * is right if it passes all of them. The first case that it fails ends the trial.
 *
 * - `continuous: true` pays the share of the cases that pass, and tries all.
 * - `max_cases`: only the first so many cases count.
 * - `tolerance`: numbers in the output may differ by it; 0, the default, compares texts.
 * - `language`: `python` (default) or another one of the sandbox; functions and assertions need Python.
 * - `total_timeout`: seconds for all cases together (100), after which the rest counts as too slow. One case has
 *   `reward.sandbox.timeout`.
 * - `score`, `format_score`: what a right program and any other program are worth.
 * - `compat: verl`: the reference's rules letter for letter: `continuous` over the first ten cases, its extraction and
 *   comparison; a broken sandbox or gold answer scores 0.
 *
 * Extra values: `acc`, `passed`, `considered` (cases that count), `codes` (of the cases tried, see {@link CaseCode}),
 * `format` (1 if there is a program). Abstains without usable test cases; a broken sandbox is an error.
 */
export const codeScorer: Scorer = {
  name: "code",
  dataSources: ["codecontests", "apps", "codeforces", "taco"],
  sandboxLanguage: languageOf,
  async score(input) {
    const { solution, groundTruth, kwargs, signal } = input;
    const verl = kwargs.compat === "verl";
    const pays = paymentOf(kwargs);
    const suite = readTestSuite(groundTruth);
    if (suite === null && !verl) return null;
    const language = languageOf(kwargs);
    const code = verl ? extractCodeLikeVerl(solution) : extractCode(solution, language);
    if (code === null || suite === null) {
      return { score: pays.none, acc: 0, passed: 0, considered: 0, codes: [], format: Number(code !== null) };
    }
    if (language !== "python" && (suite.functionName !== null || suite.cases.some((test) => test.assertion !== null))) {
      throw new Error(`the tests of this row call Python, and reward_kwargs.language is ${language}`);
    }
    const cases = suite.cases.slice(0, positive(kwargs.max_cases) ?? (verl ? VERL_CASES : suite.cases.length));
    const continuous = verl || kwargs.continuous === true;
    const options = { language, tolerance: positive(kwargs.tolerance) ?? 0, likeVerl: verl, signal };
    const codes = await tryCases(cases, {
      secondsInAll: positive(kwargs.total_timeout) ?? TOTAL_SECONDS,
      untilOneFails: !continuous,
      attempt: attemptWith(await input.sandbox(), code, suite, options),
    });
    const passed = codes.filter((result) => result === true).length;
    const right = passed === cases.length;
    const share = continuous ? passed / cases.length : 0;
    const score = right ? pays.right : pays.wrong + share * (pays.right - pays.wrong);
    return { score, acc: Number(right), passed, considered: cases.length, codes, format: 1 };
  },
};

type Attempt = (test: TestCase) => Promise<{ readonly code: CaseCode; readonly wallMs: number }>;

/** A broken sandbox is nobody's zero, unless verl's rules are asked for. */
function attemptWith(sandbox: Sandbox, code: string, suite: TestSuite, options: JudgeOptions): Attempt {
  return async (test) => {
    try {
      return await judge(sandbox, code, suite, test, options);
    } catch (error) {
      const broken = isVerlError(error) && error.code === "VERL_SANDBOX_FAILED";
      if (options.likeVerl && broken) return { code: -1, wallMs: 0 };
      throw error;
    }
  };
}

interface Trial {
  readonly attempt: Attempt;
  readonly secondsInAll: number;
  readonly untilOneFails: boolean;
}

/** One case after the other: trajectories run beside each other, and a hopeless one must not keep the others waiting. */
async function tryCases(cases: readonly TestCase[], { attempt, secondsInAll, untilOneFails }: Trial) {
  const codes: CaseCode[] = [];
  let leftMs = secondsInAll * 1000;
  for (const test of cases) {
    if (codes.at(-1) === -4) codes.push(-4);
    else if (leftMs <= 0) codes.push(-3);
    else {
      const { code, wallMs } = await attempt(test);
      leftMs -= wallMs;
      codes.push(code);
    }
    if (untilOneFails && codes.at(-1) !== true) break;
  }
  return codes;
}

function languageOf({ language }: Readonly<Record<string, unknown>>): string {
  return typeof language === "string" ? language : "python";
}

const positive = (value: unknown): number | null => (typeof value === "number" && value > 0 ? value : null);
