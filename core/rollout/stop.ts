import type { SamplingParams } from "./rollout.js";

export interface StopOptions {
  readonly stop?: SamplingParams["stop"];
  readonly stopTokenIds?: SamplingParams["stopTokenIds"];
  readonly ignoreEos?: SamplingParams["ignoreEos"];
  /** New tokens at most. */
  readonly maxTokens: number;
  readonly eosTokenIds: readonly number[];
  /** Needed with stop texts only. */
  readonly decode: ((ids: readonly number[]) => string) | null;
}

/** Decides after every new token of one response whether the response ends there. */
export class StopChecker {
  private readonly stopIds: ReadonlySet<number>;
  private readonly texts: StopTextMatcher | null;
  private count = 0;

  constructor(private readonly options: StopOptions) {
    const { stop = [], stopTokenIds = [], ignoreEos = false, eosTokenIds, decode } = options;
    this.stopIds = new Set([...stopTokenIds, ...(ignoreEos ? [] : eosTokenIds)]);
    this.texts = stop.length > 0 && decode ? new StopTextMatcher(stop, decode) : null;
  }

  /** `length` wins over `stop` when both hold at the limit. */
  push(token: number): "stop" | "length" | null {
    this.count++;
    if (this.count >= this.options.maxTokens) return "length";
    if (this.stopIds.has(token)) return "stop";
    return this.texts?.push(token) ? "stop" : null;
  }
}

/** Enough text before a new token that context-dependent decoding at the window's edge cannot matter. */
const EDGE = 16;

/**
 * Finds stop texts in tokens that arrive one by one, whatever token borders and multi-byte characters lie across them.
 * Only a window of tokens, long enough for the longest stop text, is decoded again for every token.
 */
export class StopTextMatcher {
  private readonly texts: readonly string[];
  private readonly reach: number;
  private window: number[] = [];

  constructor(
    texts: readonly string[],
    private readonly decode: (ids: readonly number[]) => string,
  ) {
    this.texts = texts.filter((text) => text.length > 0);
    this.reach = Math.max(0, ...this.texts.map((text) => text.length)) + EDGE;
  }

  /** True when this token completes a stop text. */
  push(token: number): boolean {
    this.window.push(token);
    // A character whose last bytes are still to come decodes to U+FFFD.
    const text = this.decode(this.window).replace(/\uFFFD+$/, "");
    if (this.texts.some((stop) => text.includes(stop))) return true;
    if (text.length > 2 * this.reach) this.shorten();
    return false;
  }

  private shorten(): void {
    for (let half = this.window.length >> 1; half > 0; half >>= 1) {
      const shorter = this.window.slice(half);
      if (this.decode(shorter).length >= this.reach) {
        this.window = shorter;
        return;
      }
    }
  }
}
