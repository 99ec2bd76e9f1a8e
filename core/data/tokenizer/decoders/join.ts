import { Stage } from "./stage.js";

/** Without a decoder, tokens are joined by spaces. */
export class JoinStage extends Stage {
  private first = true;
  private started = false;

  part(text: string): void {
    this.start();
    this.next.part(text);
  }

  end(): void {
    this.start();
    this.started = false;
    this.next.end();
  }

  private start(): void {
    if (!this.started && !this.first) this.next.part(" ");
    this.started = true;
    this.first = false;
  }
}
