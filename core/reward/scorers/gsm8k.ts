import type { JsonValue } from "../../host/types.js";
import type { RewardFunction, Scorer } from "../reward.js";
import { goldTexts } from "./gold.js";

/**
 * Grade-school arithmetic (Cobbe et al. 2021, arXiv:2110.14168): the answer stands after `####`.
 *
 * - `method: strict` (default): the number after the last `####` must equal the gold answer. Currency signs, thousands
 *   commas, trailing zero decimals, a full stop and text after the number do not matter; the sign does.
 * - `method: flexible`: without a marked answer, the last number of the text counts.
 * - `compat: verl`: the reference's rules letter for letter (see {@link extractLikeVerl}).
 *
 * `kwargs` may also set `score` (default 1) and `format_score` (default 0, for a wrong answer in the right format).
 * Extra values: `acc`, `pred`, `format` (1 if an answer is marked), `answer` (1 if the flexible answer is right).
 */
const score: RewardFunction = ({ solution, groundTruth, kwargs }) => {
  const method = kwargs.method === "flexible" ? "flexible" : "strict";
  const pays = {
    right: typeof kwargs.score === "number" ? kwargs.score : 1,
    wrong: typeof kwargs.format_score === "number" ? kwargs.format_score : 0,
  };
  if (kwargs.compat === "verl") {
    return verdict(extractLikeVerl(solution, method), goldTexts(groundTruth)[0] ?? "", pays);
  }
  const gold = goldAnswer(groundTruth);
  if (gold === null) return null;
  const marked = markedAnswer(solution);
  const loose = marked ?? lastNumber(solution);
  const format = marked === null ? 0 : 1;
  const answer = loose === gold ? 1 : 0;
  return { ...verdict(method === "strict" ? marked : loose, gold, pays), format, answer };
};

function verdict(pred: string | null, gold: string, pays: { readonly right: number; readonly wrong: number }) {
  if (pred === null) return { score: 0, acc: 0, pred: "[INVALID]" };
  return pred === gold ? { score: pays.right, acc: 1, pred } : { score: pays.wrong, acc: 0, pred };
}

export const gsm8kScorer: Scorer = { name: "gsm8k", dataSources: ["openai/gsm8k"], score };

// A minus after a digit or a bracket subtracts; commas separate thousands (1,200) or lakhs (1,00,000), not list items.
const SIGN = String.raw`(?:(?<![\d)][^\S\n]*)([-−+]))?`;
const DIGITS = String.raw`\d{1,3}(?:,\d{2,3})*,\d{3}(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+`;
const NUMBER = String.raw`${SIGN}(?:\\?\p{Sc}[^\S\n]*([-−])?)?(${DIGITS})(?:/(\d+))?`;
const MARKED = new RegExp(String.raw`####[^\S\n]*(?:\*\*|__)?${NUMBER}`, "gu");
const ANY = new RegExp(NUMBER, "gu");

function markedAnswer(text: string): string | null {
  return canonical([...text.matchAll(MARKED)].at(-1));
}

function lastNumber(text: string): string | null {
  return canonical([...text.matchAll(ANY)].at(-1));
}

/** The number of a gold answer, which may be a number, its text, or a whole worked solution. */
function goldAnswer(truth: JsonValue): string | null {
  if (typeof truth !== "string" && typeof truth !== "number") return null;
  const text = String(truth);
  const whole = new RegExp(`^\\s*${NUMBER}\\s*\\.?\\s*$`, "u").exec(text);
  return canonical(whole ?? undefined) ?? markedAnswer(text);
}

/** One text per value: no sign of zero, no commas, no leading or trailing zeros. */
function canonical(match: RegExpMatchArray | undefined): string | null {
  if (!match) return null;
  const [, sign, inner, digits, denominator] = match;
  const negative = isMinus(sign) !== isMinus(inner);
  const value = denominator === undefined ? plain(digits) : quotient(digits, denominator);
  if (value === null) return null;
  return negative && value !== "0" ? `-${value}` : value;
}

const isMinus = (text: string | undefined) => text === "-" || text === "−";

function plain(digits: string): string {
  const [whole, fraction = ""] = digits.replaceAll(",", "").split(".");
  const left = whole.replace(/^0+(?=.)/, "") || "0";
  const right = fraction.replace(/0+$/, "");
  return right === "" ? left : `${left}.${right}`;
}

function quotient(digits: string, denominator: string): string | null {
  const value = Number(digits.replaceAll(",", "")) / Number(denominator);
  return Number.isFinite(value) ? plain(value.toFixed(10)) : null;
}

/**
 * The reference's extraction from the last 300 characters. Strict: the last `#### ` followed by digits, dots and commas,
 * commas removed. Flexible: the last such run that is not a lone dot, commas kept.
 */
export function extractLikeVerl(solution: string, method: "strict" | "flexible"): string | null {
  const characters = Array.from(solution);
  const tail = characters.length > 300 ? characters.slice(-300).join("") : solution;
  if (method === "strict") {
    const last = [...tail.matchAll(/#### (-?[0-9.,]+)/g)].at(-1);
    return last ? last[1].replaceAll(",", "") : null;
  }
  const numbers = [...tail.matchAll(/-?[0-9.,]+/g)].map(([text]) => text);
  // Where every match is a lone dot, the reference falls out of its loop with the first of them.
  return numbers.filter((text) => text !== ".").at(-1) ?? numbers[0] ?? null;
}
