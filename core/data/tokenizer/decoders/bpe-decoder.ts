import { type Sink, TokenStage } from "./stage.js";

/** `BPEDecoder`: the suffix of words becomes a space, in the last token nothing. */
export class BpeDecoderStage extends TokenStage {
  /** The token before, which may be the last. */
  private held: string | null = null;

  constructor(
    next: Sink,
    private readonly suffix: string,
  ) {
    super(next);
  }

  protected token(token: string): void {
    this.release(" ");
    this.held = token;
  }

  override close(): void {
    this.release("");
    this.next.close();
  }

  private release(replacement: string): void {
    if (this.held !== null) this.emit(this.held.replaceAll(this.suffix, replacement));
    this.held = null;
  }
}
