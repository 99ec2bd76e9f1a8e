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

/** Parameters, gradients and moments of the same length, with the loops that run over all of them. */
export interface UpdateKernels {
  readonly values: Float32Array;
  readonly gradients: Float32Array;
  readonly m: Float32Array;
  readonly v: Float32Array;
  adamw(scalars: AdamWScalars): void;
  /** Σ gradient², in float64. */
  gradientSquareSum(): number;
}
