import type { RewardFunction } from "../reward.js";
import { goldAnswers } from "./gold.js";
import { canonical, isRight, readGold } from "./math/grade.js";
import { NO_ANSWER, paymentOf } from "./payment.js";

/** Where a scorer looks for the answer: in the place that the prompt asks for, and anywhere. */
export interface AnswerPlaces {
  strict(solution: string): string | null;
  flexible(solution: string): string | null;
}

/**
 * Grades the answer of a mathematical problem by its value. Options, for every scorer that is made from this:
 *
 * - `method`: `strict` accepts an answer only in its place, `flexible` anywhere; the default is the scorer's.
 * - `score` (1) and `format_score` (as for no answer) are paid for right answers and for wrong ones in their place.
 * - `tolerance`: relative, for real numbers; 0, the default, compares exactly.
 * - `unevaluated`: true lets `2 + 3` stand for 5. By default it does not, for it only repeats the question.
 *
 * Extra values: `acc`, `pred`, `format` (1 if there is an answer in its place), `answer` (1 if the flexible answer is right).
 * Abstains when the gold answer cannot be read.
 */
export function gradeMath(
  places: AnswerPlaces,
  defaults: { readonly method: "strict" | "flexible"; readonly none: number },
): RewardFunction {
  return ({ solution, groundTruth, kwargs }) => {
    const golds = goldAnswers(groundTruth).flatMap((text) => readGold(text) ?? []);
    if (golds.length === 0) return null;
    const options = {
      tolerance: typeof kwargs.tolerance === "number" ? kwargs.tolerance : 0,
      unevaluated: kwargs.unevaluated === true,
    };
    const verdict = (answer: string | null) => answer !== null && golds.some((gold) => isRight(gold, answer, options));
    const method = kwargs.method === "strict" || kwargs.method === "flexible" ? kwargs.method : defaults.method;
    const placed = places.strict(solution);
    const anywhere = placed ?? places.flexible(solution);
    const answer = verdict(anywhere);
    const counted = method === "strict" ? placed : anywhere;
    const acc = counted !== null && answer;
    const pays = paymentOf(kwargs, defaults.none);
    return {
      score: acc ? pays.right : placed === null ? pays.none : pays.wrong,
      acc: Number(acc),
      pred: counted === null ? NO_ANSWER : canonical(counted),
      format: Number(placed !== null),
      answer: Number(answer),
    };
  };
}
