/** Scalars of one AdamW update, the same for every element. */
export interface AdamWScalars {
  readonly gradScale: number;
  readonly beta1: number;
  readonly beta2: number;
  /** 1 − lr · weight decay */
  readonly decay: number;
  /** lr / (1 − β₁ᵗ) */
  readonly stepSize: number;
  /** 1 / √(1 − β₂ᵗ) */
  readonly rootCorrection: number;
  readonly eps: number;
}

/** Scalars of one SGD update. */
export interface SgdScalars {
  readonly gradScale: number;
  /** Share of the values that is added to the gradient. */
  readonly weightDecay: number;
  readonly momentum: number;
  readonly nesterov: boolean;
  readonly lr: number;
}

/** Values, gradients and further arrays of the same length, with the loops that run over all of them. */
export interface UpdateKernels {
  readonly values: Float32Array;
  readonly gradients: Float32Array;
  /** Arrays of the update rule in its order, 0 at the start; the moving average of the values, where there is one, is last. */
  readonly state: readonly Float32Array[];
  /** State: both moments. */
  adamw(scalars: AdamWScalars): void;
  /** State: the momentum, where there is any. */
  sgd(scalars: SgdScalars): void;
  /** Moves the last array of the state by this share of the way to the values. */
  average(share: number): void;
  /** Σ gradient², in float64. */
  gradientSquareSum(): number;
}
