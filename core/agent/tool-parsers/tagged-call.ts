import { TagSet } from "./tag-set.js";
import { type TaggedValue, ValueReader } from "./tagged-value.js";
import type { Parsing, TextCursor } from "./text-cursor.js";

interface TagPair {
  readonly open: string;
  readonly close: string;
}

/** A format of nested tags: blocks hold calls, calls hold parameters. */
export interface TaggedForm {
  readonly block: TagPair;
  /** Opening tags are given up to where the name comes: `<function=` or `<invoke`. */
  readonly call: TagPair;
  readonly parameter: TagPair;
  /** How opening tags name things: `<function=NAME>`, or attributes in double quotes, one of which is `name`. */
  readonly naming: "equals" | "attributes";
  /** What follows a block if it does not matter where its closing tag stands; otherwise anything may follow. */
  readonly afterBlock?: readonly string[];
  /** Whether this parameter's value may be JSON, whose end is found as JSON. Default: it may. */
  readonly mayBeJson?: (header: TagHeader) => boolean;
}

export interface TagHeader {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

export interface TaggedParameter extends TagHeader, TaggedValue {}

export interface TaggedCall {
  readonly name: string;
  readonly parameters: readonly TaggedParameter[];
  /** False if another call, the end of the block or of the text came first. */
  readonly closed: boolean;
  /** The call as it stands in the text. */
  readonly text: string;
}

export interface TaggedBlock {
  readonly calls: readonly TaggedCall[];
  readonly closed: boolean;
  readonly text: string;
}

/** Reads blocks. */
export class TaggedReader {
  private readonly values: ValueReader;
  private readonly inBlock: TagSet;
  private readonly inCall: TagSet;

  constructor(
    private readonly input: TextCursor,
    private readonly form: TaggedForm,
  ) {
    const { block, call, parameter, afterBlock } = form;
    this.inBlock = new TagSet([call.open, block.close]);
    this.inCall = new TagSet([parameter.open, call.close, call.open, block.close]);
    this.values = new ValueReader(input, {
      close: parameter.close,
      call,
      outerCloses: [block.close],
      opens: [parameter.open, call.open, block.open],
      follows: {
        [parameter.close]: this.inCall.tags,
        [call.close]: this.inBlock.tags,
        ...(afterBlock ? { [block.close]: afterBlock } : {}),
      },
    });
  }

  /** A whole block, which begins at the cursor. */
  *block(): Parsing<TaggedBlock> {
    const { input } = this;
    const calls: TaggedCall[] = [];
    input.begin();
    input.skip(this.form.block.open);
    for (;;) {
      const call = yield* this.nextCall();
      if (call === null || call === "end") return { calls, closed: call === "end", text: input.commit() };
      calls.push(call);
    }
  }

  /** The next call of the block, past anything else; "end" after the block's closing tag, null at the end of the text. */
  *nextCall(): Parsing<TaggedCall | "end" | null> {
    const { input, form } = this;
    for (;;) {
      const tag = yield* input.until(this.inBlock);
      if (tag === null) return null;
      if (tag === form.block.close) {
        input.skip(tag);
        return "end";
      }
      input.begin();
      input.skip(tag);
      const header = yield* this.header();
      const call = header && (yield* this.parameters());
      const text = input.commit();
      if (header && call) return { name: header.name, ...call, text };
    }
  }

  private *parameters(): Parsing<Pick<TaggedCall, "parameters" | "closed">> {
    const { input, form } = this;
    const parameters: TaggedParameter[] = [];
    for (;;) {
      const tag = yield* input.until(this.inCall);
      if (tag === form.parameter.open) {
        input.skip(tag);
        const header = yield* this.header();
        if (!header) continue;
        const value = yield* this.values.read({ json: form.mayBeJson?.(header) ?? true });
        parameters.push({ ...header, ...value });
        continue;
      }
      const closed = tag === form.call.close;
      if (closed) input.skip(tag);
      return { parameters, closed };
    }
  }

  /** The rest of an opening tag; null, having read it as far as it is well-formed, if it is none. */
  private *header(): Parsing<TagHeader | null> {
    const { input, form } = this;
    const attributes = form.naming === "attributes";
    input.begin();
    let tag = yield* input.until(attributes ? IN_TAG : IN_NAME);
    while (tag === '"') {
      input.skip(tag);
      tag = yield* input.until(IN_QUOTES);
      if (tag !== '"') break;
      input.skip(tag);
      tag = yield* input.until(IN_TAG);
    }
    const text = input.commit();
    if (tag !== ">") return null;
    input.skip(tag);
    const found = new Map([...text.matchAll(ATTRIBUTE)].map(([, key, value]) => [key, value]));
    const name = (attributes ? found.get("name") : text)?.trim();
    return name ? { name, attributes: found } : null;
  }
}

const IN_NAME = new TagSet([">", "<", "\n"]);
const IN_TAG = new TagSet([">", "<", "\n", '"']);
const IN_QUOTES = new TagSet(['"', "\n"]);
const ATTRIBUTE = /(?<=\s)([\w:.-]+)="([^"]*)"/g;
