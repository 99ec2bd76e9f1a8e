/** What a right answer, a wrong one in the right format and anything else are worth. */
export interface Payment {
  readonly right: number;
  readonly wrong: number;
  readonly none: number;
}

/** `score` and `format_score` of a scorer's options; `none` is what it pays for no answer, and unless told so for a wrong one. */
export function paymentOf(kwargs: Readonly<Record<string, unknown>>, none = 0): Payment {
  const { score, format_score } = kwargs;
  return {
    right: typeof score === "number" ? score : 1,
    wrong: typeof format_score === "number" ? format_score : none,
    none,
  };
}

/** `pred` of a text without an answer. */
export const NO_ANSWER = "[INVALID]";
