import type { ModelConfig } from "../model.js";

/** A fault of a model's files, or something to know about them. */
export interface WeightProblem {
  /** `warning`: the model is read all the same. */
  readonly level: "problem" | "warning";
  readonly what: string;
  readonly where?: string;
  readonly fix?: string;
}

/** A tensor whose values can be looked at a piece at a time. */
export interface ScannedTensor {
  readonly name: string;
  readonly where: string;
  readonly elements: number;
  /** Matrices; a vector of zeros is a bias that was never trained. */
  readonly isMatrix: boolean;
  /** As stored. */
  readonly bytes: number;
  /** Elements of a piece: the whole tensor is ⌈elements / pieceElements⌉ of them. */
  readonly pieceElements: number;
  /** Looks at the values of piece `index`. */
  look(index: number): Promise<PieceValues>;
}

export interface PieceValues {
  readonly elements: number;
  /** NaN or infinite. */
  readonly notFinite: number;
  /** Position of the first of them within the piece; −1 where there is none. */
  readonly first: number;
  readonly hasNonZero: boolean;
}

/** The files of a model: everything about them that can be told without their values, and the values on request. */
export interface WeightInspection {
  readonly format: "hf" | "gguf";
  /** Null where it cannot be read. */
  readonly config: ModelConfig | null;
  /** Numbers of the parameters that the architecture has; 0 where that is not known. */
  readonly parameters: number;
  readonly files: number;
  readonly bytes: number;
  /** Tensors by the type in which they are stored. */
  readonly dtypes: ReadonlyMap<string, number>;
  readonly problems: readonly WeightProblem[];
  readonly tensors: readonly ScannedTensor[];
  close(): Promise<void>;
}
