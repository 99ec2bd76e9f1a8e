/** 1 for the right number after the last `Answer:`, else 0; and whether the model wrote a program on the way. */
export function computeScore({ solution, groundTruth }: { solution: string; groundTruth: unknown }) {
  const pred = /Answer: (\d+)$/.exec(solution)?.[1] ?? "none";
  const right = pred === groundTruth ? 1 : 0;
  return { score: right, acc: right, used_tool: solution.includes("<tool_call>") ? 1 : 0, pred };
}
