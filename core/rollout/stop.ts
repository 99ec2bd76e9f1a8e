import type { IncrementalDecoder } from "../data/tokenizer.js";
import type { SamplingParams } from "./rollout.js";

export interface StopOptions {
  readonly stop?: SamplingParams["stop"];
  readonly stopTokenIds?: SamplingParams["stopTokenIds"];
  readonly ignoreEos?: SamplingParams["ignoreEos"];
  /** New tokens at most. */
  readonly maxTokens: number;
  readonly eosTokenIds: readonly number[];
  /** Needed with stop texts only. */
  readonly createDecoder: (() => IncrementalDecoder) | null;
}

/** Decides after every new token of one response whether the response ends there. */
export class StopChecker {
  private readonly stopIds: ReadonlySet<number>;
  private readonly texts: StopTextMatcher | null;
  private count = 0;

  constructor(private readonly options: StopOptions) {
    const { stop = [], stopTokenIds = [], ignoreEos = false, eosTokenIds, createDecoder } = options;
    this.stopIds = new Set([...stopTokenIds, ...(ignoreEos ? [] : eosTokenIds)]);
    this.texts = stop.length > 0 && createDecoder ? new StopTextMatcher(stop, createDecoder()) : null;
  }

  /** Go on with a response that was interrupted after these tokens: they end nothing and count for no limit. */
  resume(tokens: ArrayLike<number>): void {
    if (this.texts) for (const token of Array.from(tokens)) this.texts.push(token);
  }

  /** `length` wins over `stop` when both hold at the limit. */
  push(token: number): "stop" | "length" | null {
    this.count++;
    if (this.count >= this.options.maxTokens) return "length";
    if (this.stopIds.has(token)) return "stop";
    return this.texts?.push(token) ? "stop" : null;
  }
}

/**
 * Finds stop texts in tokens that arrive one by one, whatever token borders and multi-byte characters lie across them: exactly
 * those that are in the decoded text so far, without regard to a character whose last bytes are still to come.
 */
export class StopTextMatcher {
  private readonly texts: readonly string[];
  /** How much of the text before a token a stop text may need. */
  private readonly reach: number;
  /** The end of the text that is certain. */
  private tail = "";

  constructor(
    texts: readonly string[],
    private readonly decoder: IncrementalDecoder,
  ) {
    this.texts = texts.filter((text) => text.length > 0);
    this.reach = Math.max(0, ...this.texts.map((text) => text.length - 1));
  }

  /** True when this token completes a stop text. */
  push(token: number): boolean {
    const certain = this.tail + this.decoder.push(token);
    const text = certain + this.decoder.pending().replace(/\uFFFD+$/, "");
    this.tail = certain.slice(Math.max(0, certain.length - this.reach));
    return this.texts.some((stop) => text.includes(stop));
  }
}
