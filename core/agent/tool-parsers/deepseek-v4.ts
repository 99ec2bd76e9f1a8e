import { composeToolParser } from "./compose-tool-parser.js";
import { isJson } from "./json-scanner.js";
import { THINK } from "./prose.js";
import { TagSet } from "./tag-set.js";
import { writeBlock } from "./tagged-blocks.js";
import { type TaggedBlock, type TaggedForm, type TaggedParameter, TaggedReader } from "./tagged-call.js";
import type { Parsing, TextCursor } from "./text-cursor.js";
import type { ToolParserOptions } from "./tool-parser.js";
import type { TurnWriter } from "./turn-writer.js";

const FORM: TaggedForm = {
  block: { open: "<｜DSML｜tool_calls>", close: "</｜DSML｜tool_calls>" },
  call: { open: "<｜DSML｜invoke", close: "</｜DSML｜invoke>" },
  parameter: { open: "<｜DSML｜parameter", close: "</｜DSML｜parameter>" },
  naming: "attributes",
  mayBeJson: ({ attributes }) => attributes.get("string") === "false",
};

/**
 * `<｜DSML｜tool_calls><｜DSML｜invoke name="NAME"><｜DSML｜parameter name="KEY" string="true|false">VALUE…`, as DeepSeek-V4 writes
 * it. The prompt usually opens the think block, so everything before the last `</think>` is thought; content is what follows
 * it, up to the block. What could still turn out as thought is held back: content until the block or the end, calls until
 * the end if no `</think>` has come before them.
 */
export const deepseekV4 = composeToolParser({
  name: "deepseek_v4",
  parse: (input, out, options) => new Turn(input, out, options).parse(),
});

class Turn {
  private readonly reader: TaggedReader;
  private readonly drops: readonly (string | undefined)[];
  private readonly tags: TagSet;
  /** Text since the last closing mark of a thought. */
  private text = "";
  private thoughtsClosed = 0;
  /** Blocks that another `</think>` would make thought, and the text before them. */
  private undecided: { readonly before: string; readonly blocks: TaggedBlock[] } | null = null;
  /** Content ends with the first block. */
  private contentIsOver = false;

  constructor(
    private readonly input: TextCursor,
    private readonly out: TurnWriter,
    private readonly options: ToolParserOptions,
  ) {
    this.reader = new TaggedReader(input, FORM);
    this.drops = [options.padToken, options.eosToken];
    this.tags = new TagSet([FORM.block.open, THINK.open, THINK.close, ...this.drops]);
  }

  *parse(): Parsing<void> {
    if (this.options.startsInThought && !(yield* this.streamThought())) return;
    for (;;) {
      const tag = yield* this.input.until(this.tags, (text) => this.add(text));
      if (tag === null) return this.end();
      if (tag === FORM.block.open) {
        const block = yield* this.reader.block();
        if (!block.closed) return this.end({ cutOff: true });
        this.block(block);
        continue;
      }
      this.input.skip(tag);
      if (tag === THINK.close) this.endThought();
      else if (tag === THINK.open && !(yield* this.thought())) return;
    }
  }

  /** Whether calls are calls already. */
  private get thoughtIsOver(): boolean {
    return this.thoughtsClosed > 0 || this.options.startsInThought === false;
  }

  private add(text: string): void {
    if (!this.contentIsOver) this.text += text;
  }

  /** A thought that the text opens itself; false if the text ends with it. */
  private *thought(): Parsing<boolean> {
    if (this.text.trim() === "") return yield* this.streamThought();
    // There is text before it, which its closing mark will make thought as well: only then the order is known.
    let thought = "";
    const tag = yield* this.untilClose((text) => {
      thought += text;
    });
    if (tag) this.add(THINK.open + thought);
    else {
      this.end();
      this.out.reasoning(thought);
    }
    if (tag) this.endThought();
    return tag;
  }

  private *streamThought(): Parsing<boolean> {
    this.out.reasoning("");
    const closed = yield* this.untilClose((text) => this.out.reasoning(text));
    this.thoughtsClosed++;
    this.text = "";
    return closed;
  }

  private *untilClose(text: (piece: string) => void): Parsing<boolean> {
    const tags = new TagSet([THINK.close, ...this.drops]);
    for (;;) {
      const tag = yield* this.input.until(tags, text);
      if (tag === null) return false;
      this.input.skip(tag);
      if (tag === THINK.close) return true;
    }
  }

  /** Everything before this mark was thought, an earlier mark included. */
  private endThought(): void {
    if (this.contentIsOver) return;
    this.out.reasoning(this.thoughtsClosed++ > 0 ? THINK.close + this.text : this.text);
    this.text = "";
    this.undecided = null;
  }

  private block(block: TaggedBlock): void {
    if (this.thoughtIsOver) {
      if (!this.contentIsOver) this.out.content(withoutBlankLine(this.text));
      this.contentIsOver = true;
      writeBlock(this.out, block, jsonOf);
      return;
    }
    this.undecided ??= { before: this.text, blocks: [] };
    this.undecided.blocks.push(block);
    this.add(block.text);
  }

  private end({ cutOff = false } = {}): void {
    if (this.undecided) {
      this.out.content(withoutBlankLine(this.undecided.before));
      for (const block of this.undecided.blocks) writeBlock(this.out, block, jsonOf);
    } else if (!this.contentIsOver) this.out.content(cutOff ? withoutBlankLine(this.text) : this.text);
  }
}

/** The blank line that separates content from a block belongs to neither. */
function withoutBlankLine(text: string): string {
  return text.endsWith("\n\n") ? text.slice(0, -2) : text;
}

/** A parameter says itself whether it is text; one that does not is ignored. */
function jsonOf({ attributes, closed, text }: TaggedParameter): string | null {
  const isText = attributes.get("string");
  if (!closed || isText === undefined) return null;
  return isText === "false" && isJson(text.trim()) ? text.trim() : JSON.stringify(text);
}
