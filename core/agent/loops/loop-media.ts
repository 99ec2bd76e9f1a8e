import {
  type MediaIntake,
  type MediaKind,
  type MediaReader,
  type MediaRef,
  type MediaTokens,
  mediaPartsOf,
  type PreparedMedia,
  type TakenMessages,
  type TakeOptions,
} from "../../data/index.js";
import type { ChatMessage } from "../../data/tokenizer.js";
import type { CallOptions } from "../../host/types.js";

/** The media of one session: what was taken in for its prompt and its turns. */
export interface LoopMedia extends MediaTokens, MediaReader {
  /** Kinds that the model understands; none for models of text. */
  readonly kinds: readonly MediaKind[];
  /**
   * The messages with their media taken in: data URLs, bytes and base64 become references. Do this before messages are encoded.
   *
   * @throws VERL_DATA_NO_PROCESSOR for a kind that the model does not understand, VERL_DATA_MEDIA for a medium that cannot be used
   */
  take(messages: readonly ChatMessage[]): Promise<readonly ChatMessage[]>;
  /** The bytes that a reference names: `idOfReference` of the part's value gives its id. */
  bytes(media: Pick<MediaRef, "id">, options?: CallOptions): Promise<Uint8Array>;
  /** The text of a stranger (a tool, a simulated user): where it spells a placeholder, which stands for a medium, it is broken up. */
  plain(text: string): string;
}

/** Takes in messages for a session; the driver does it for sessions in threads. */
export type TakeMessages = (messages: readonly ChatMessage[], options: TakeOptions) => Promise<TakenMessages>;

export class SessionMedia implements LoopMedia {
  readonly #prepared = new Map<string, PreparedMedia>();

  constructor(
    private readonly intake: Pick<MediaIntake, "kinds" | "placeholders" | "placeholderTexts" | "bytes"> & {
      readonly take: TakeMessages;
    },
    private readonly signal: AbortSignal,
  ) {}

  get kinds(): readonly MediaKind[] {
    return this.intake.kinds;
  }

  get placeholders(): ReadonlyMap<number, MediaKind> {
    return this.intake.placeholders;
  }

  find(reference: unknown): PreparedMedia | null {
    return this.#prepared.get(String(reference)) ?? null;
  }

  async take(messages: readonly ChatMessage[]): Promise<readonly ChatMessage[]> {
    if (mediaPartsOf(messages).length === 0) return messages;
    const taken = await this.intake.take(messages, { keep: "step", signal: this.signal });
    this.keep(taken);
    return taken.messages;
  }

  /** What somebody else has taken in is known to this session, too. */
  keep({ messages, tokens }: TakenMessages): void {
    for (const { value } of mediaPartsOf(messages)) {
      const prepared = tokens.find(value);
      if (prepared) this.#prepared.set(String(value), prepared);
    }
  }

  bytes(media: Pick<MediaRef, "id">, options: CallOptions = {}): Promise<Uint8Array> {
    return this.intake.bytes(media, { signal: this.signal, ...options });
  }

  plain(text: string): string {
    return this.intake.placeholderTexts.reduce(
      (plain, placeholder) => plain.replaceAll(placeholder, `${placeholder.slice(0, 1)} ${placeholder.slice(1)}`),
      text,
    );
  }
}
