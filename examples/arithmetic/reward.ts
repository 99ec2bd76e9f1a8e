/** 1 for exactly the right digits followed by the end of the answer, else 0. */
export function computeScore({ solution, groundTruth }: { solution: string; groundTruth: unknown }): {
  score: number;
  acc: number;
  pred: string;
} {
  const right = solution === groundTruth ? 1 : 0;
  return { score: right, acc: right, pred: solution };
}
