/** Memory for one purpose, known before anything starts. */
export interface MemoryPart {
  /** In words: "weights, gradients, moments". */
  readonly name: string;
  readonly bytes: number;
  /** `training` and `sampling` take turns in a synchronous run: what one of them needs is free while the other goes on. */
  readonly during: "always" | "training" | "sampling";
}

/** The largest batch that an engine is handed at once. */
export interface EngineWork {
  /** Tokens of a micro-batch. */
  readonly tokens: number;
  /** Tokens of the longest sequence, prompt and response. */
  readonly longest: number;
}
