import { scanJson } from "./json-body.js";
import { JsonScanner } from "./json-scanner.js";
import { TagSet } from "./tag-set.js";
import type { Parsing, TextCursor } from "./text-cursor.js";

/** How values stand in a format that writes them between tags, without quotes. */
export interface ValueForm {
  /** Ends a value. */
  readonly close: string;
  /** The call around it. Calls inside a value are part of it. */
  readonly call: { readonly open: string; readonly close: string };
  /** Further tags that end what is around the value. */
  readonly outerCloses: readonly string[];
  /** Tags that begin the next value, call or block. */
  readonly opens: readonly string[];
  /** What follows a tag where it is no text; a tag that is not listed may be followed by anything. */
  readonly follows: Readonly<Record<string, readonly string[]>>;
}

export interface TaggedValue {
  readonly text: string;
  /** False if the closing tag is missing: the value then ends before the tag that closes its call, or with the text. */
  readonly closed: boolean;
}

/**
 * Reads values that may hold anything, the format's own tags included. A value that is JSON ends after the JSON. Any other
 * ends at the first closing tag with which the form goes on: one that something else follows is text, and so is one that
 * belongs to a call within the value. If there is no such tag before the next value, call or the end, it ends at the first
 * tag that could have closed it.
 */
export class ValueReader {
  private readonly close: TagSet;
  private readonly tags: TagSet;
  private readonly follows: ReadonlyMap<string, TagSet>;
  /** Up to here a search for a better end has failed already; it is not repeated, which keeps the time linear. */
  private searchedTo = 0;

  constructor(
    private readonly input: TextCursor,
    private readonly form: ValueForm,
  ) {
    const { close, call, outerCloses, opens, follows } = form;
    this.close = new TagSet([close]);
    this.tags = new TagSet([close, call.open, call.close, ...outerCloses, ...opens]);
    this.follows = new Map(Object.entries(follows).map(([tag, next]) => [tag, new TagSet(next)]));
  }

  /** Reads one value, whose opening tag has been read, and its closing tag. */
  *read({ json = true }: { readonly json?: boolean } = {}): Parsing<TaggedValue> {
    return (json ? yield* this.readJson() : null) ?? (yield* this.readText());
  }

  private *readJson(): Parsing<TaggedValue | null> {
    const { input } = this;
    input.begin();
    yield* input.skipSpace();
    if (input.ready && '"{['.includes(String.fromCharCode(input.unit))) {
      const scanner = new JsonScanner();
      const stop = yield* scanJson(input, scanner, this.close);
      if (stop !== null && scanner.end() === null) {
        const text = input.commit();
        input.skip(stop);
        return { text, closed: true };
      }
    }
    input.rollback();
    return null;
  }

  private *readText(): Parsing<TaggedValue> {
    const { input, form } = this;
    const simple = input.offset < this.searchedTo;
    let callsInside = 0;
    let firstEnd: TaggedValue | null = null;
    input.begin();
    for (;;) {
      const tag = yield* input.until(this.tags);
      if (tag === null || (firstEnd && callsInside === 0 && form.opens.includes(tag))) break;
      if (tag === form.call.open && !simple) callsInside++;
      else if (tag === form.call.close && callsInside > 0) callsInside--;
      else if (tag === form.close || tag === form.call.close || form.outerCloses.includes(tag)) {
        const end: TaggedValue = { text: (firstEnd?.text ?? "") + input.recorded(), closed: tag === form.close };
        const goesOn = yield* this.goesOnAfter(tag);
        if (end.closed && (simple || (goesOn && callsInside === 0))) {
          if (firstEnd) input.commit();
          input.commit();
          input.skip(tag);
          return end;
        }
        if (firstEnd === null && (end.closed || goesOn)) {
          firstEnd = end;
          input.begin();
        }
      }
      input.skip(tag);
    }
    if (firstEnd === null) return { text: input.commit(), closed: false };
    this.searchedTo = Math.max(this.searchedTo, input.offset);
    input.rollback();
    input.commit();
    if (firstEnd.closed) input.skip(form.close);
    return firstEnd;
  }

  /** Whether what may follow a tag does so, or the text ends. */
  private *goesOnAfter(tag: string): Parsing<boolean> {
    const next = this.follows.get(tag);
    if (next === undefined) return true;
    const { input } = this;
    input.begin();
    input.skip(tag);
    yield* input.skipSpace();
    const found = (yield* input.match(next)) !== null || input.endsWithin(next);
    input.rollback();
    return found;
  }
}
