import { cleanUp } from "./clean-up.js";
import { type Sink, TokenStage } from "./stage.js";

/** `WordPiece`: tokens without the prefix of continuing ones follow a space. */
export class WordPieceStage extends TokenStage {
  private first = true;

  constructor(
    next: Sink,
    private readonly prefix: string,
    private readonly cleans: boolean,
  ) {
    super(next);
  }

  protected token(token: string): void {
    const joined = this.first ? token : token.startsWith(this.prefix) ? token.slice(this.prefix.length) : ` ${token}`;
    this.first = false;
    this.emit(this.cleans ? cleanUp(joined) : joined);
  }
}
