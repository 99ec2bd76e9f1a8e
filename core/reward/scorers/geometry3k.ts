import type { Scorer } from "../reward.js";
import { boxedAnswer } from "./boxed.js";
import { gradeMath } from "./math-scorer.js";

const byValue = gradeMath({ strict: boxedAnswer, flexible: () => null }, { method: "strict", none: 0 });
const FORMAT_SHARE = 0.1;

/**
 * Geometry3K (Lu et al. 2021, arXiv:2105.04165): nine tenths for the right answer in `\boxed{…}`, one tenth for the format:
 * thoughts in a think block, the box behind it.
 */
export const geometry3kScorer: Scorer = {
  name: "geometry3k",
  dataSources: ["hiyouga/geometry3k"],
  async score(input) {
    const result = await byValue({ ...input, kwargs: { ...input.kwargs, score: 1, format_score: 0 } });
    if (result === null || typeof result === "number") return result;
    const format = Number(isFormatted(input.solution));
    return { ...result, format, score: (1 - FORMAT_SHARE) * (result.score ?? 0) + FORMAT_SHARE * format };
  },
};

function isFormatted(text: string): boolean {
  const thought = text.indexOf("</think>");
  const box = text.lastIndexOf("\\boxed{");
  return text.trimStart().startsWith("<think>") && thought >= 0 && box > thought && text.indexOf("}", box) >= 0;
}
