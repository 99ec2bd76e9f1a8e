import type { ModelConfig } from "../../../core/formats/index.js";

/** Tokens that move out of a full window's cache at once. More cost memory and time of every token, fewer more copying. */
const STEP = 64;

/**
 * Where the tokens of a sequence lie in one layer's cache. A layer that sees all tokens keeps them all, one a row. One that
 * sees a window keeps the latest: rows fill up, then the oldest `STEP` leave together and the others move to the front. So
 * what lies where is a function of the sequence's length alone. onnxruntime's GroupQueryAttention with
 * `sliding_window_cache` does the same.
 */
export class CacheLayout {
  /** Rows of a slot. */
  readonly rows: number;
  /** Tokens leave, and `window` is not null. */
  readonly slides: boolean;

  constructor(
    /** Latest tokens that a query sees, itself included; null: all. */
    readonly window: number | null,
    /** Tokens of the longest sequence. */
    maxLength: number,
  ) {
    this.rows = window === null ? maxLength : Math.min(window + STEP - 1, maxLength);
    this.slides = this.rows < maxLength;
  }

  /** Rows that hold tokens, the latest last, when the sequence has `length` of them. */
  filled(length: number): number {
    return length - this.dropped(length);
  }

  /** Tokens that have left; at least the window without the next token remains. */
  dropped(length: number): number {
    return STEP * Math.ceil(Math.max(0, length - this.rows) / STEP);
  }
}

export type CachedConfig = Pick<ModelConfig, "layers">;

/** The layout of every layer; layers of one window share it. */
export function cacheLayouts({ layers }: CachedConfig, maxLength: number): CacheLayout[] {
  const byWindow = new Map<number | null, CacheLayout>();
  return layers.map(({ window }) => {
    const layout = byWindow.get(window) ?? new CacheLayout(window, maxLength);
    byWindow.set(window, layout);
    return layout;
  });
}
