/**
 * Format and answer, scored apart: `format` is 1 if the response ends its reasoning with `#### number`, `acc` is 1 if its
 * answer is right, where the answer is the number after the last `####` or, without one, the last number of the text. So
 * `acc` cannot rise by learning the format alone.
 */
export function computeScore({ solution, groundTruth }: { solution: string; groundTruth: unknown }): {
  score: number;
  format: number;
  acc: number;
  pred: string;
} {
  const marked = [...solution.matchAll(/####\s*\$?(-?[\d.,]*\d)/g)].at(-1)?.[1];
  const last = solution.match(/-?\d[\d.,]*/g)?.at(-1);
  const pred = normal(marked ?? last ?? "");
  const format = marked === undefined ? 0 : 1;
  const acc = pred !== "" && pred === normal(String(groundTruth)) ? 1 : 0;
  return { score: 0.2 * format + 0.8 * acc, format, acc, pred };
}

/** `1,234.` and `1234.00` are the same number. */
function normal(text: string): string {
  const number = text.replaceAll(",", "").replace(/\.$/, "");
  return number === "" || !Number.isFinite(Number(number)) ? number : String(Number(number));
}
