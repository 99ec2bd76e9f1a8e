import type { Scorer } from "verl-ts/plugin";

/** 1 if the last number of the answer is the right one, else 0. Values beside `score` are logged in validation. */
export const scorer = {
  name: "__SHORT__",
  dataSources: ["__SHORT__", "__SHORT__/*"],
  score({ solution, groundTruth }) {
    const answer = solution.match(/-?\d+(?:\.\d+)?/g)?.at(-1) ?? null;
    const acc = answer !== null && Number(answer) === Number(groundTruth) ? 1 : 0;
    return { score: acc, acc, pred: answer ?? "" };
  },
} satisfies Scorer;
