import { replaceAll } from "../normalizers/replace.js";
import type { Pattern } from "../regex/pattern.js";
import { type Sink, Stage, TokenStage } from "./stage.js";

/** `Replace` with a regular expression, in every token. */
export class PatternReplaceStage extends TokenStage {
  constructor(
    next: Sink,
    private readonly pattern: Pattern,
    private readonly content: string,
  ) {
    super(next);
  }

  protected token(token: string): void {
    this.emit(replaceAll(token, this.pattern, this.content));
  }
}

/** `Replace` with a text that is not empty. Only what may be its beginning waits for more. */
export class LiteralReplaceStage extends Stage {
  private waiting = "";

  constructor(
    next: Sink,
    private readonly literal: string,
    private readonly content: string,
  ) {
    super(next);
  }

  part(text: string): void {
    const { literal } = this;
    const pieces = (this.waiting + text).split(literal);
    const last = pieces.pop() as string;
    let begun = Math.min(last.length, literal.length - 1);
    while (!last.endsWith(literal.slice(0, begun))) begun--;
    const ready = last.length - begun;
    this.waiting = last.slice(ready);
    const out = pieces.map((piece) => piece + this.content).join("") + last.slice(0, ready);
    if (out !== "") this.next.part(out);
  }

  end(): void {
    if (this.waiting !== "") this.next.part(this.waiting);
    this.waiting = "";
    this.next.end();
  }
}
