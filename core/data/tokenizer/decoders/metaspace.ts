import type { MetaspaceOptions } from "../pre-tokenizers/metaspace.js";
import { type Sink, Stage } from "./stage.js";

/** `Metaspace`: marks become spaces; in the first token they vanish where the encoder puts one in front. */
export class MetaspaceStage extends Stage {
  private first = true;

  constructor(
    next: Sink,
    private readonly options: MetaspaceOptions,
  ) {
    super(next);
  }

  part(text: string): void {
    const { replacement, scheme } = this.options;
    this.next.part(text.replaceAll(replacement, this.first && scheme !== "never" ? "" : " "));
  }

  end(): void {
    this.first = false;
    this.next.end();
  }
}
