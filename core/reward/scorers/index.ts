import type { Scorer } from "../reward.js";
import { codeScorer } from "./code/code-scorer.js";
import { geometry3kScorer } from "./geometry3k.js";
import { gsm8kScorer } from "./gsm8k.js";
import { mathScorer, numinaScorer } from "./math.js";
import { mathDapoScorer } from "./math-dapo.js";
import { multipleChoiceScorer } from "./multiple-choice.js";
import { qaScorer } from "./qa.js";

export {
  codeScorer,
  geometry3kScorer,
  gsm8kScorer,
  mathDapoScorer,
  mathScorer,
  multipleChoiceScorer,
  numinaScorer,
  qaScorer,
};

/** For the data sources that verl knows and a few more: by rules alone, or by running the program of a response. */
export const builtinScorers: readonly Scorer[] = [
  gsm8kScorer,
  mathScorer,
  mathDapoScorer,
  numinaScorer,
  geometry3kScorer,
  qaScorer,
  multipleChoiceScorer,
  codeScorer,
];
