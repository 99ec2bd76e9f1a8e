import { TagSet } from "./tag-set.js";
import type { Parsing, TextCursor } from "./text-cursor.js";
import type { TurnWriter } from "./turn-writer.js";

/** Marks of text that the model thinks. */
export interface Thought {
  readonly open: string;
  readonly close: string;
}

export const THINK: Thought = { open: "<think>", close: "</think>" };

export interface ProseForm {
  /** Where something other than prose begins. */
  readonly opens: readonly string[];
  /** The first one is what `startsInThought` means. */
  readonly thoughts?: readonly Thought[];
  /** Texts to leave out, such as the padding token. */
  readonly drops?: readonly (string | undefined)[];
  readonly startsInThought?: boolean;
  /** Takes the content; it goes to the writer if this is absent. */
  readonly content?: (text: string) => void;
}

/**
 * The text between calls: content and thoughts, handed on as it comes. Thoughts do not nest, and one that is not closed lasts
 * to the end of the text.
 */
export class Prose {
  /** False once further text is no content any more. */
  keep = true;
  private readonly thoughts: readonly Thought[];
  private readonly drops: readonly (string | undefined)[];
  private readonly tags: TagSet;
  private readonly content: (text: string) => void;
  private thinking: boolean;

  constructor(
    private readonly input: TextCursor,
    private readonly out: TurnWriter,
    { opens, thoughts = [THINK], drops = [], startsInThought = false, content }: ProseForm,
  ) {
    this.thoughts = thoughts;
    this.drops = drops;
    this.tags = new TagSet([...opens, ...thoughts.map(({ open }) => open), ...drops]);
    this.content = content ?? ((text) => out.content(text));
    this.thinking = startsInThought;
  }

  /** Reads up to the next opening, which it returns without reading it; null at the end of the text. */
  *next(): Parsing<string | null> {
    if (this.thinking) {
      this.thinking = false;
      yield* this.think(this.thoughts[0].close);
    }
    for (;;) {
      const tag = yield* this.input.until(this.tags, (text) => this.keep && this.content(text));
      const thought = this.thoughts.find(({ open }) => open === tag);
      if (tag === null || !(thought || this.drops.includes(tag))) return tag;
      this.input.skip(tag);
      if (thought) yield* this.think(thought.close);
    }
  }

  /** Reads a thought and its closing mark. */
  *think(close: string): Parsing<void> {
    this.out.reasoning("");
    const tags = new TagSet([close, ...this.drops]);
    for (;;) {
      const tag = yield* this.input.until(tags, (text) => this.out.reasoning(text));
      if (tag !== null) this.input.skip(tag);
      if (tag === null || tag === close) return;
    }
  }
}
