import type { HeadKind } from "../../../core/formats/index.js";
import type { OutputName } from "../../../core/plugin.js";
import type { Ref } from "../ir/index.js";

/** What each kind of head can be asked for. */
export const HEAD_OUTPUTS = {
  languageModel: ["logProb", "entropy", "sumPiSquared"],
  values: ["values"],
  scores: ["scores"],
} as const satisfies Readonly<Record<HeadKind, readonly OutputName[]>>;

/** What a model computes from the rows that are scored; the last part of a training graph. */
export interface Head {
  /** The outputs asked for, flat. */
  forward(wanted: readonly OutputName[]): Map<OutputName, Ref>;
  /** The way back from gradients of outputs, in the same shapes. */
  backward(gradients: ReadonlyMap<OutputName, Ref>): HeadGradients;
}

export interface HeadGradients {
  /** Gradients of values below the head, from which differentiation goes on. */
  readonly seeds: ReadonlyMap<Ref, Ref>;
  /** Gradients of parameters that the head has added up itself. */
  readonly parameters: ReadonlyMap<string, Ref>;
}
