import { Stage } from "./stage.js";

/** `Fuse`: all tokens become one. */
export class FuseStage extends Stage {
  part(text: string): void {
    this.next.part(text);
  }

  end(): void {}

  override close(): void {
    this.next.end();
    this.next.close();
  }
}
