/**
 * Decoding as a chain of stages. Tokens pass through as streams: parts of a token's text, then its end; when no tokens are
 * left the stream is closed. What a stage cannot decide yet it keeps until it can, so that decoding a sequence at once and
 * decoding it token by token are the same computation.
 */
export interface Sink {
  part(text: string): void;
  end(): void;
  close(): void;
}

export abstract class Stage implements Sink {
  constructor(protected readonly next: Sink) {}

  abstract part(text: string): void;
  abstract end(): void;

  close(): void {
    this.next.close();
  }

  /** A copy in the same state that writes elsewhere. States are immutable values, so that a shallow copy is one. */
  fork(next: Sink): Stage {
    return Object.assign(Object.create(Object.getPrototypeOf(this)), this, { next });
  }

  protected emit(token: string): void {
    this.next.part(token);
    this.next.end();
  }
}

/** A stage that needs each token as a whole. */
export abstract class TokenStage extends Stage {
  private text = "";

  part(text: string): void {
    this.text += text;
  }

  end(): void {
    const { text } = this;
    this.text = "";
    this.token(text);
  }

  protected abstract token(token: string): void;
}

export type StageFactory = (next: Sink) => Stage;
