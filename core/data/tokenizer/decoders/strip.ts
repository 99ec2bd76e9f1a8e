import { type Sink, Stage } from "./stage.js";

export interface StripOptions {
  readonly content: string;
  /** How many of it go from the start of every token, and from its end, at most. */
  readonly start: number;
  readonly stop: number;
}

/** `Strip`: a few of one character off the ends of every token. */
export class StripStage extends Stage {
  private startLeft: number;
  /** How many of the character were read last, which may be at the end; never more than `stop`. */
  private held = 0;

  constructor(
    next: Sink,
    private readonly options: StripOptions,
  ) {
    super(next);
    this.startLeft = options.start;
  }

  part(text: string): void {
    const { content, stop } = this.options;
    let out = "";
    for (const character of text) {
      if (character !== content) {
        out += content.repeat(this.held) + character;
        this.held = 0;
        this.startLeft = 0;
      } else if (this.startLeft > 0) {
        this.startLeft--;
      } else if (this.held < stop) {
        this.held++;
      } else {
        out += content;
      }
    }
    if (out !== "") this.next.part(out);
  }

  end(): void {
    this.startLeft = this.options.start;
    this.held = 0;
    this.next.end();
  }
}
