import type { TagSet } from "./tag-set.js";

/** A parser that pauses at each `yield` until the cursor has more text or has ended. */
export type Parsing<T> = Generator<void, T, void>;

interface Recording {
  /** Offset at which it began. */
  readonly start: number;
  /** What was recorded before the current buffer's index `from`. */
  text: string;
  from: number;
}

/**
 * A place in a text of which only the beginning is known. Reading waits for more where that could change the answer, so
 * that the result does not depend on how the text was cut. What has been read is forgotten unless it is being recorded.
 */
export class TextCursor {
  private buffer = "";
  private at = 0;
  private base = 0;
  private ended = false;
  private readonly recordings: Recording[] = [];

  /** Adds text; for whoever drives the parser. */
  feed(text: string): void {
    const recording = this.recordings.at(-1);
    if (recording) {
      recording.text += this.buffer.slice(recording.from, this.at);
      recording.from = 0;
    }
    this.base += this.at;
    this.buffer = this.buffer.slice(this.at) + text;
    this.at = 0;
  }

  /** No more text will come. */
  end(): void {
    this.ended = true;
  }

  /** UTF-16 units read so far. */
  get offset(): number {
    return this.base + this.at;
  }

  /** Whether there is a character to read without waiting. */
  get ready(): boolean {
    return this.at < this.buffer.length;
  }

  /** The UTF-16 unit at the cursor, NaN if none is ready. */
  get unit(): number {
    return this.buffer.charCodeAt(this.at);
  }

  /** Waits for more text than there is now; false at the end. */
  *more(): Parsing<boolean> {
    const known = this.buffer.length - this.at;
    while (this.buffer.length - this.at === known) {
      if (this.ended) return false;
      yield;
    }
    return true;
  }

  /** Moves past what is known to stand here. */
  skip(what: string | 1): void {
    this.at += what === 1 ? 1 : what.length;
  }

  *skipSpace(): Parsing<void> {
    while (this.ready || (yield* this.more())) {
      if (!isSpace(this.unit)) return;
      this.at++;
    }
  }

  /** The tag that stands at the cursor. */
  *match(tags: TagSet): Parsing<string | null> {
    for (;;) {
      const tag = tags.at(this.buffer, this.at, this.ended);
      if (tag !== undefined) return tag;
      yield* this.more();
    }
  }

  /** True after a failed `match` if the text ends here, or in the middle of one of the tags. */
  endsWithin(tags: TagSet): boolean {
    return tags.startsWith(this.buffer.slice(this.at));
  }

  /** Reads up to the next of the tags, which it returns without reading it. Text is handed out as soon as it is no tag. */
  *until(tags: TagSet, text?: (piece: string) => void): Parsing<string | null> {
    let start = this.at;
    for (;;) {
      this.at = tags.search(this.buffer, this.at);
      const tag = this.ready ? tags.at(this.buffer, this.at, this.ended) : undefined;
      if (tag === null) {
        this.at++;
        continue;
      }
      if (text && this.at > start) text(this.buffer.slice(start, this.at));
      if (tag !== undefined) return tag;
      if (!(yield* this.more()) && !this.ready) return null;
      start = this.at;
    }
  }

  /** Starts recording. Recordings nest. */
  begin(): void {
    const outer = this.recordings.at(-1);
    if (outer) outer.text += this.buffer.slice(outer.from, this.at);
    this.recordings.push({ start: this.offset, text: "", from: this.at });
  }

  /** What the innermost recording holds so far. */
  recorded(): string {
    const { text, from } = this.recordings[this.recordings.length - 1];
    return text + this.buffer.slice(from, this.at);
  }

  /** Ends the innermost recording and returns it. */
  commit(): string {
    const text = this.recorded();
    this.recordings.pop();
    const outer = this.recordings.at(-1);
    if (outer) {
      outer.text += text;
      outer.from = this.at;
    }
    return text;
  }

  /** Ends the innermost recording and goes back to its beginning. */
  rollback(): void {
    const recording = this.recordings.pop() as Recording;
    if (recording.start < this.base) {
      this.buffer = recording.text + this.buffer.slice(recording.from);
      this.base = recording.start;
    }
    this.at = recording.start - this.base;
    const outer = this.recordings.at(-1);
    if (outer) outer.from = this.at;
  }
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}
