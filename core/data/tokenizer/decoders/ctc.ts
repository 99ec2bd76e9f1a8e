import { cleanUp } from "./clean-up.js";
import { type Sink, TokenStage } from "./stage.js";

export interface CtcOptions {
  readonly padToken: string;
  readonly wordDelimiter: string;
  readonly cleans: boolean;
}

/** `CTC`: repeated tokens count once, padding vanishes, delimiters become spaces. */
export class CtcStage extends TokenStage {
  private before: string | null = null;

  constructor(
    next: Sink,
    private readonly options: CtcOptions,
  ) {
    super(next);
  }

  protected token(token: string): void {
    if (token === this.before) return;
    this.before = token;
    const { padToken, wordDelimiter, cleans } = this.options;
    let text = padToken === "" ? token : token.replaceAll(padToken, "");
    if (cleans) text = cleanUp(text).replaceAll(wordDelimiter, " ");
    if (text !== "") this.emit(text);
  }
}
