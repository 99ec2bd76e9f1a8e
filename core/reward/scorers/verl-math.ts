import { codePoints } from "./python-text.js";

/**
 * verl's rules for MATH (Hendrycks et al. 2021, arXiv:2103.03874): the content of the last `\boxed{…}` and the gold answer
 * are normalised as text and must be the same text.
 */
export function mathScoreLikeVerl(solution: string, groundTruth: string): { score: 0 | 1; pred: string | null } {
  const pred = lastBoxedLikeVerl(solution);
  return { score: pred !== null && equivalent(pred, groundTruth) ? 1 : 0, pred };
}

/**
 * `\boxed x` anywhere wins over braces: it runs up to the next dollar sign. Without any `\boxed` a last `\fbox{…}` is found,
 * but not unwrapped, so that it counts as no answer.
 */
export function lastBoxedLikeVerl(text: string): string | null {
  const spaced = text.lastIndexOf("\\boxed ");
  if (spaced >= 0) return text.slice(spaced + "\\boxed ".length).split("$", 1)[0];
  const start = text.lastIndexOf("\\boxed");
  return start < 0 ? null : bracedAt(text, start, "\\boxed{");
}

/** The content of the braces when `text` has `opening` at `start`, or null. */
export function bracedAt(text: string, start: number, opening: string): string | null {
  if (!text.startsWith(opening, start)) return null;
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === "{") depth++;
    else if (text[i] === "}" && --depth === 0) return text.slice(start + opening.length, i);
  }
  return null;
}

function equivalent(pred: string, gold: string): boolean {
  const [a, b] = [normalise(pred), normalise(gold)];
  return a === null || b === null ? pred === gold : a === b;
}

/** Null where the reference gives up on a text. */
function normalise(text: string): string | null {
  let s = withoutNoise(text);
  // A unit stands in `\text{ …}` at the right; the reference does not know what to do with two of them.
  const parts = s.split("\\text{ ");
  if (parts.length > 2) return null;
  s = parts[0].replaceAll("\\\\%", "").replaceAll("\\%", "").replaceAll(" .", " 0.").replaceAll("{.", "{0.");
  if (s === "") return s;
  if (s.startsWith(".")) s = `0${s}`;
  const sides = s.split("=");
  if (sides.length === 2 && codePoints(sides[0]).length <= 2) s = sides[1];
  const rooted = braceRoots(s);
  if (rooted === null) return null;
  const fractions = braceFractions(rooted.replaceAll(" ", ""));
  if (fractions === null) return null;
  return slashToFraction(fractions === "0.5" ? "\\frac{1}{2}" : fractions);
}

function withoutNoise(text: string): string {
  return text
    .replaceAll("\n", "")
    .replaceAll("\\!", "")
    .replaceAll("\\\\", "\\")
    .replaceAll("tfrac", "frac")
    .replaceAll("dfrac", "frac")
    .replaceAll("\\left", "")
    .replaceAll("\\right", "")
    .replaceAll("^{\\circ}", "")
    .replaceAll("^\\circ", "")
    .replaceAll("\\$", "");
}

/** `\sqrt3` as `\sqrt{3}`. */
function braceRoots(text: string): string | null {
  const [before, ...after] = text.split("\\sqrt");
  if (after.includes("")) return null;
  return before + after.map((part) => `\\sqrt${part.startsWith("{") ? part : braceFirst(part)}`).join("");
}

function braceFirst(text: string): string {
  const [first] = text;
  return `{${first}}${text.slice(first.length)}`;
}

/** `\frac12` as `\frac{1}{2}`, `\frac1{72}` as `\frac{1}{72}`. */
function braceFractions(text: string): string | null {
  const [before, ...after] = text.split("\\frac");
  let result = before;
  for (const part of after) {
    if (part === "") return null;
    if (part.startsWith("{")) {
      result += `\\frac${part}`;
      continue;
    }
    const [a, b] = part;
    if (b === undefined) return text;
    const rest = part.slice(a.length);
    result += `\\frac{${a}}${b === "{" ? rest : braceFirst(rest)}`;
  }
  return result;
}

function slashToFraction(text: string): string {
  const integer = "(0|-?[1-9][0-9]*)";
  return text.replace(new RegExp(`^${integer}/${integer}$`), String.raw`\frac{$1}{$2}`);
}
