import { codePoints } from "./text.js";
import { isCased, isLower, isTitle, isUpper, lowerAt, titleCharacter } from "./unicode.js";

/** Python's `str.isupper`: at least one letter with case, and none of another case. */
export function isUpperText(text: string): boolean {
  return /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text);
}

export function isLowerText(text: string): boolean {
  return /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text);
}

/** Python's `str.istitle`: upper and title case start words, lower case goes on. */
export function isTitleText(text: string): boolean {
  let inWord = false;
  let any = false;
  for (const character of text) {
    const starts = isUpper(character) || isTitle(character);
    if (starts ? inWord : isLower(character) && !inWord) return false;
    inWord = starts || isLower(character);
    any ||= inWord;
  }
  return any;
}

export function swapCase(text: string): string {
  const points = codePoints(text);
  const swap = (c: string, i: number) => (isUpper(c) ? lowerAt(points, i) : isLower(c) ? c.toUpperCase() : c);
  return points.map(swap).join("");
}

export function capitalize(text: string): string {
  const points = codePoints(text);
  return points.map((c, i) => (i === 0 ? titleCharacter(c) : lowerAt(points, i))).join("");
}

export function titleCase(text: string): string {
  const points = codePoints(text);
  return points.map((c, i) => (i > 0 && isCased(points[i - 1]) ? lowerAt(points, i) : titleCharacter(c))).join("");
}
