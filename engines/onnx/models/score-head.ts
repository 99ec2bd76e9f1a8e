import type { OutputName } from "../../../core/plugin.js";
import type { Autodiff, Ref } from "../ir/index.js";
import type { Head, HeadGradients } from "./head.js";
import { linear } from "./layers.js";

/** The rows of a score head and its parameters. */
export interface ScoreRows {
  /** [rows, hidden] */
  readonly hidden: Ref;
  /** [size, hidden] */
  readonly weight: Ref;
  /** [size] */
  readonly bias?: Ref;
  readonly size: number;
}

/** A linear map of each row to a few numbers: values of tokens, or scores of sequences, [rows · size] flat. */
export function scoreHead(ad: Autodiff, output: "values" | "scores", { hidden, weight, bias, size }: ScoreRows): Head {
  const g = ad.graph;
  const scores = linear(ad, hidden, weight, { bias });
  return {
    forward: () => new Map<OutputName, Ref>([[output, g.op("Reshape", [scores, g.ints(-1)])]]),
    backward(gradients): HeadGradients {
      const flat = gradients.get(output) as Ref;
      return { seeds: new Map([[scores, g.op("Reshape", [flat, g.ints(-1, size)])]]), parameters: new Map() };
    },
  };
}
